import Foundation
import Stores
import Wallet

extension WalkPlan {
    /// The product that the stores sell before it is added to the catalogue.
    var late: String { "walk\(self.seed).late" }

    var catalogue: [ModelProduct] {
        let name = "walk\(self.seed)."
        return [
            ModelProduct(id: name + "pack", kind: "pack", unit: .credit, amount: 50, bonus: 5),
            ModelProduct(id: name + "small", kind: "pack", unit: .credit, amount: 7, bonus: 0),
            ModelProduct(id: name + "large", kind: "pack", unit: .credit, amount: 90, bonus: 2),
            ModelProduct(
                id: name + "pass",
                kind: "pass",
                unit: .visit,
                amount: 3,
                bonus: 0,
                validDays: 2,
                graceDays: 1
            ),
            ModelProduct(id: name + "plan", kind: "plan", unit: .visit, amount: 4, bonus: 0, trialAmount: 1),
            ModelProduct(id: name + "addon", kind: "plan", unit: .visit, amount: 2, bonus: 1),
            ModelProduct(id: name + "unlimited", kind: "plan", unit: .visit, amount: 0, bonus: 0, unlimited: true),
            ModelProduct(
                id: name + "year",
                kind: "plan",
                unit: .visit,
                amount: 40,
                bonus: 3,
                trialAmount: 1,
                period: "P1Y"
            ),
            ModelProduct(id: self.late, kind: "pass", unit: .visit, amount: 5, bonus: 1, validDays: 3),
            ModelProduct(
                id: name + "bundle",
                kind: "pack",
                unit: .credit,
                amount: 20,
                bonus: 1,
                bundle: [
                    ModelBundleItem(unit: .visit, amount: 3, validDays: 2, startsWithinDays: 2),
                    ModelBundleItem(unit: .visit, amount: 2, validDays: 3),
                    ModelBundleItem(unit: .credit, amount: 7),
                ]
            ),
            ModelProduct(
                id: name + "first",
                kind: "pass",
                unit: .visit,
                amount: 4,
                bonus: 0,
                validDays: 1,
                startsWithinDays: 3,
                bundle: [ModelBundleItem(unit: .visit, amount: 1, validDays: 1, startsWithinDays: 2)]
            ),
        ]
    }

    /// A user buys something, and the purchase is mostly reported immediately.
    mutating func newPurchase(_ books: Books) -> WalkStep {
        let purchase = self.purchase(self.debtor(books), books)
        let isForeign = purchase.kind == .oneTime && self.random.chance(8)
        return .apply(self.firstReport(of: purchase, books), by: isForeign ? self.user() : purchase.buyer)
    }

    /// A store's message reports a purchase of a guest: a user whom the wallet does not know yet.
    mutating func purchase(of guest: Int, _ books: Books) -> WalkStep {
        let key = WalletKey(user: guest, environment: self.random.chance(80) ? .production : .sandbox)
        let purchase = self.purchase(key, books)
        return .tell(self.firstReport(of: purchase, books), owner: guest)
    }

    private mutating func purchase(_ key: WalletKey?, _ books: Books) -> WalkPurchase {
        let key = key ?? self.wallet()
        var purchase = self.random.chance(25) ? self.newPeriod(key, books) : self.newOneTimePurchase(key, books)
        if purchase.kind == .oneTime, self.random.chance(20) {
            let products = ["pack", "small", "large", "pass", "late", "bundle", "first"].shuffled(using: &self.random)
            purchase.listed = products.prefix(self.random.pick(2, 3)).map { "walk\(self.seed)." + $0 }
        }
        if purchase.listed != nil { purchase = self.withFurtherProducts(purchase) }
        self.purchases.append(purchase)
        return purchase
    }

    private mutating func firstReport(of purchase: WalkPurchase, _ books: Books) -> StoreFact {
        var fact = purchase.fact(by: &self.random, at: self.hours(0, from: books.now), everything: true)
        if self.random.chance(8) { fact.pending = true }
        if self.random.chance(6) { fact.refundedMillionths = self.share() }
        return fact
    }

    private mutating func newOneTimePurchase(_ key: WalletKey, _ books: Books) -> WalkPurchase {
        let id = self.name("t")
        let buyer = self.tokens[key.user]
        // The purchase was before the cut-over, or some hours ago.
        let purchasedAt =
            self.random.chance(3)
            ? books.grantsFrom.addingTimeInterval(-3_600)
            : self.hours(Int.random(in: -30...0, using: &self.random), from: books.now)
        return WalkPurchase(
            store: self.random.pick(.appStore, .appStore, .playStore),
            environment: key.environment == .sandbox ? .sandbox : .production,
            buyer: key.user,
            product: "walk\(self.seed)."
                + self.random.pick(
                    "pack",
                    "small",
                    "pass",
                    "late",
                    "bundle",
                    "bundle",
                    "first",
                    "first"
                ),
            kind: .oneTime,
            quantity: self.random.pick(1, 1, 1, 2, 3),
            purchasedAt: purchasedAt,
            transactionIDs: [id, id + "r", id + "s"],
            original: id,
            orderID: id + ".order",
            purchaseToken: id + ".token",
            token: self.random.pick(buyer, nil, nil),
            isShared: self.random.chance(3)
        )
    }

    /// Returns one product of a purchase, and adds the others, which are reported later or never.
    private mutating func withFurtherProducts(_ purchase: WalkPurchase) -> WalkPurchase {
        let products = (purchase.listed ?? []).map { product in
            var one = purchase
            one.product = product
            if one.kind == .oneTime { one.quantity = self.random.pick(1, 1, 2) }
            return one
        }
        let first = Int.random(in: 0..<products.count, using: &self.random)
        self.purchases += products[..<first] + products[(first + 1)...]
        return products[first]
    }

    /// Returns the next period of a user's only subscription in an environment, or its first.
    ///
    /// Google Play sells some subscriptions with add-ons. A renewal may drop them, or add one.
    private mutating func newPeriod(_ key: WalletKey, _ books: Books) -> WalkPurchase {
        let environment: StoreEnvironment = key.environment == .sandbox ? .sandbox : .production
        let last = self.purchases.last {
            $0.kind == .subscription && $0.buyer == key.user && $0.environment == environment
        }
        let start = last?.expiresAt ?? self.hours(Int.random(in: -20...0, using: &self.random), from: books.now)
        let isPlay = last.map { $0.store == .playStore } ?? self.random.chance(50)
        let listed = isPlay ? self.plans(after: last) : nil
        let product =
            listed?.first ?? last?.base ?? "walk\(self.seed)." + self.random.pick("plan", "unlimited", "year")
        // Half of the yearly plans are billed monthly.
        let month = last.map { ($0.commitment?.period ?? 0) % 12 + 1 } ?? 1
        let isMonthly = last.map { $0.commitment != nil } ?? self.random.chance(50)
        let commitment = product.hasSuffix("year") && isMonthly ? StoreFact.Commitment(period: month, of: 12) : nil
        let id = self.periodID(after: last)
        let original = last?.original ?? id
        return WalkPurchase(
            store: isPlay ? .playStore : .appStore,
            environment: environment,
            buyer: key.user,
            product: product,
            kind: .subscription,
            quantity: 1,
            purchasedAt: start,
            expiresAt: start.addingTimeInterval(Double(Int.random(in: 20...60, using: &self.random)) * 3_600),
            periodType: last == nil && self.random.chance(30) ? .trial : .normal,
            commitment: commitment,
            transactionIDs: [id],
            original: original,
            orderID: isPlay ? id : nil,
            purchaseToken: isPlay ? original + ".token" : nil,
            token: nil,
            isShared: false,
            listed: listed
        )
    }

    /// Returns the plans of a subscription's next period; nil for one plan.
    private mutating func plans(after last: WalkPurchase?) -> [String]? {
        if let last, self.random.chance(70) { return last.listed }
        if last?.listed != nil { return nil }
        let base = last?.base ?? "walk\(self.seed)." + self.random.pick("plan", "unlimited")
        let others = ["plan", "addon", "addon", "unlimited"].map { "walk\(self.seed)." + $0 }.filter { $0 != base }
        let first = others[Int.random(in: 0..<others.count, using: &self.random)]
        guard self.random.chance(25), let second = others.first(where: { $0 != first }) else { return [base, first] }
        return [base, first, second]
    }

    /// Returns the transaction id of a subscription's next period; Google Play numbers its renewals.
    private mutating func periodID(after last: WalkPurchase?) -> String {
        guard let last, last.store == .playStore, let original = last.original else { return self.name("s") }
        let periods = Set(self.purchases.filter { $0.original == original }.flatMap(\.transactionIDs))
        return "\(original)..\(periods.count - 1)"
    }

    /// Reports a known purchase again: under other ids, by another user, with a refund, a reversal or new flags.
    mutating func toldAgain(_ books: Books) -> WalkStep {
        let spent = self.random.chance(60) ? self.purchases.filter { Self.isSpent($0, books) } : []
        let some = spent.isEmpty ? self.purchases : spent
        guard let purchase = some.randomElement(using: &self.random) else { return self.newPurchase(books) }
        var fact = purchase.fact(by: &self.random, at: self.hours(0, from: books.now), everything: false)
        if self.random.chance(60) { fact.refundedMillionths = self.share() }
        if purchase.kind == .subscription {
            fact.willRenew = self.random.pick(nil, true, false)
            fact.billingIssue = self.random.pick(nil, true, false)
            if self.random.chance(20) { fact.graceEndsAt = purchase.expiresAt?.addingTimeInterval(12 * 3_600) }
        }
        if purchase.kind == .oneTime, self.random.chance(15) { return .tell(fact, owner: purchase.buyer) }
        return .apply(fact, by: self.random.chance(80) ? purchase.buyer : self.user())
    }

    /// Sometimes returns a wallet with a debt, for another purchase.
    private mutating func debtor(_ books: Books) -> WalletKey? {
        let debtors = books.wallets.keys.filter { books[$0].owed(.credit) + books[$0].owed(.visit) > 0 }
            .sorted { ($0.user, $0.environment.rawValue) < ($1.user, $1.environment.rawValue) }
        return self.random.chance(40) ? debtors.randomElement(using: &self.random) : nil
    }

    /// A Boolean value that indicates whether bookings spent part of a purchase, so that a refund creates a debt.
    static func isSpent(_ purchase: WalkPurchase, _ books: Books) -> Bool {
        books.claims.contains { claim in
            claim.goes(by: purchase.transactionIDs[0])
                && claim.lots.contains { books[$0.wallet].lots[$0.lot].spent > 0 }
        }
    }

    private mutating func share() -> Int {
        self.random.pick(
            0,
            0,
            0,
            250_000,
            333_333,
            500_000,
            1_000_000,
            1_000_000,
            Int.random(in: 1...999_999, using: &self.random)
        )
    }

    /// Changes how a product is sold, or adds it to the catalogue.
    mutating func productEdit() -> WalkStep {
        guard var product = self.catalogue.randomElement(using: &self.random) else { return .sweep }
        if !product.unlimited { product.amount = Int64.random(in: 1...60, using: &self.random) }
        product.bonus = product.unlimited ? 0 : Int64.random(in: 0...3, using: &self.random)
        product.graceDays = self.random.pick(1, 2, 7)
        if product.kind == "pass" { product.validDays = Int.random(in: 1...4, using: &self.random) }
        if product.startsWithinDays != nil { product.startsWithinDays = self.random.pick(nil, 1, 2, 3) }
        for place in product.bundle.indices {
            product.bundle[place].amount = Int64.random(in: 1...9, using: &self.random)
        }
        product.bundle = Array(product.bundle.prefix(Int.random(in: 0...3, using: &self.random)))
        if product.kind == "plan" { product.daysAhead = self.random.pick(nil, 1, 2, 3) }
        if product.kind == "plan", !product.unlimited {
            product.trialAmount = Int64.random(in: 0...2, using: &self.random)
            product.commitmentAmount = self.random.pick(nil, nil, 30, 45)
        }
        return .putProduct(product)
    }
}
