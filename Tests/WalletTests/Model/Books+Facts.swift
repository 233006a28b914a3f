import Foundation
import Stores
import Wallet

/// The response to a submitted fact.
struct ModelFactOutcome {
    var reason: String?
    var duplicate: Bool
    var productID: String?
    var unit: CreditUnit?
    var amount: Int64 = 0
    var lots: [LotKey] = []
}

extension Books {
    /// Applies a fact (rules 11 to 15): records the store's data, determines the owner, and updates the books.
    ///
    /// If the store itself names the user (`isNamed`), the purchase is the user's, whatever its account token.
    mutating func apply(_ fact: StoreFact, by user: Int, isNamed: Bool = false) -> ModelFactOutcome {
        let claim = self.record(fact)
        let wasGranted = self.claims[claim].grantedAs != nil
        let owner =
            self.claims[claim].owner ?? (isNamed ? user : self.subscriptionOwner(of: claim)) ?? user
        let reason = self.refusal(of: claim, for: user, owner: owner, isNamed: isNamed)
        if self.claims[claim].owner == nil,
            [nil, "before-cut-over", "unknown-product", "refunded"].contains(reason) || isNamed && reason == "pending"
        {
            self.claims[claim].owner = owner
        }
        // A fact that another user submits may unblock the owner's claim.
        let verdict = reason == "transaction-already-claimed" ? self.ownVerdict(of: claim) : reason ?? "granted"
        if !wasGranted, let verdict { self.claims[claim].verdict = verdict }
        if wasGranted || verdict == "granted" || verdict == "refunded" { self.sync(claim) }
        self.syncSubscription(claim)
        self.noteSeveralPlans(of: claim, isNew: !wasGranted)

        let known = self.claims[claim]
        var outcome = ModelFactOutcome(reason: reason, duplicate: wasGranted, productID: known.productID)
        if reason == nil, let key = known.lot {
            let lot = self[key.wallet].lots[key.lot]
            outcome.unit = lot.unit
            outcome.amount = lot.granted
            outcome.lots = known.lots
        }
        return outcome
    }

    private func ownVerdict(of claim: Int) -> String? {
        self.claims[claim].owner.map { self.refusal(of: claim, for: $0, owner: $0) ?? "granted" }
    }

    /// Returns the reason why a claim grants nothing to the submitting user; nil if it grants.
    func refusal(of number: Int, for user: Int, owner: Int, isNamed: Bool = false) -> String? {
        let claim = self.claims[number]
        if owner != user { return "transaction-already-claimed" }
        if claim.owner == nil, !isNamed, self.subscriptionOwner(of: number) != user, let token = claim.token,
            !self.accountTokens(of: owner).contains(token)
        {
            return "account-token-mismatch"
        }
        if claim.ownership == .familyShared { return "family-shared" }
        if claim.pending { return "pending" }
        if claim.grantedAs != nil { return claim.share == 1_000_000 ? "refunded" : nil }
        if claim.purchasedAt < self.grantsFrom { return "before-cut-over" }
        guard self.product(of: claim) != nil else { return "unknown-product" }
        return claim.share == 1_000_000 ? "refunded" : nil
    }

    func product(of claim: ModelClaim) -> ModelProduct? {
        guard let product = self.products[claim.storeProductID] else { return nil }
        return (product.kind == "plan") == (claim.kind == .subscription) ? product : nil
    }

    /// Grants the claim's worth, then takes or restores the refunded share of each lot (rules 14, 24, 25 and 40).
    ///
    /// Later changes of the catalogue do not affect the terms of a granted purchase.
    mutating func sync(_ number: Int) {
        guard let owner = self.claims[number].owner else { return }
        let key = WalletKey(user: owner, environment: self.claims[number].environment)
        self.lock(key)
        let product = self.product(of: self.claims[number])
        if self.claims[number].grantedAs == nil, let product {
            self.grantTerms(of: product, to: number)
            self.claims[number].graceDays = product.graceDays
            self.claims[number].bundle = product.bundle
            self.claims[number].productID = product.id
            self.claims[number].grantedAs = self.grants
            self.grants += 1
        }
        // A commitment that was reported late raises the amount to its share, if the share is more.
        let share = Self.share(of: self.claims[number]) ?? 0
        self.claims[number].grantAmount = max(self.claims[number].grantAmount, share)
        let claim = self.claims[number]
        guard claim.grantAmount > 0 else { return }
        if claim.lots.isEmpty, let product { self.open(product, number, in: key) }
        let worths = ([claim.grantAmount] + claim.bundle.map(\.amount)).map { $0 * Int64(claim.quantity) }
        for (lot, worth) in zip(self.claims[number].lots, worths) {
            self.raise(lot.lot, to: worth, in: key)
            self.refund(lot.lot, by: claim, in: key)
        }
        if !claim.bundle.isEmpty, 1..<1_000_000 ~= claim.share { self.note("refunded part of a bundle") }
    }

    /// Opens the lots of a grant: that of the product's own amount, then those of its bundle.
    private mutating func open(_ product: ModelProduct, _ number: Int, in key: WalletKey) {
        let claim = self.claims[number]
        var lots = [
            (
                lot: ModelLot(
                    unit: product.unit,
                    source: product.kind,
                    claim: number,
                    expiresAt: Self.expiry(product, claim),
                    startsAt: Self.latestStart(product.startsWithinDays, claim)
                ),
                amount: claim.grantAmount
            )
        ]
        for (place, item) in claim.bundle.enumerated() {
            let start = Self.latestStart(item.startsWithinDays, claim)
            let lot = ModelLot(
                unit: item.unit,
                source: item.unit == .credit ? "pack" : "pass",
                claim: number,
                item: place + 1,
                expiresAt: item.validDays.map { (start ?? claim.purchasedAt) + Double($0) * 86_400 },
                startsAt: start
            )
            lots.append((lot, item.amount))
        }
        for (lot, amount) in lots {
            let opened = self[key].open(lot, "grant", amount: amount * Int64(claim.quantity), at: self.now)
            self.claims[number].lots.append(LotKey(wallet: key, lot: opened))
        }
        if !claim.bundle.isEmpty { self.note("granted a bundle") }
    }

    private static func latestStart(_ days: Int?, _ claim: ModelClaim) -> Date? {
        days.map { claim.purchasedAt + Double($0) * 86_400 }
    }

    private mutating func raise(_ lot: Int, to worth: Int64, in key: WalletKey) {
        let missing = worth - self[key].lots[lot].granted
        guard missing > 0 else { return }
        self[key].change(lot, "grant", LotChange(granted: missing), at: self.now)
        self[key].settle(lot, at: self.now)
    }

    private mutating func refund(_ lot: Int, by claim: ModelClaim, in key: WalletKey) {
        let known = self[key].lots[lot]
        let difference = Self.takenBack(claim, of: known.granted) - known.refunded
        guard difference != 0 else { return }
        let kind = difference > 0 ? "refund" : "refund_reversal"
        self[key].change(lot, kind, LotChange(refunded: difference), at: self.now)
        self[key].settle(lot, at: self.now)
    }

    /// Returns the refunded amount.
    ///
    /// If the share of several pieces equals a number of whole pieces, exactly those are refunded.
    private static func refunded(_ claim: ModelClaim, of granted: Int64) -> Int64 {
        let pieces = Int64(claim.quantity)
        let whole = (0...pieces).first { abs(claim.share * pieces - $0 * 1_000_000) < 10 * pieces }
        if pieces > 1, let whole { return granted * whole / pieces }
        return granted * claim.share / 1_000_000
    }

    /// Stores the grant's terms; a billing period of a longer commitment grants its share of the whole (rule 29).
    private mutating func grantTerms(of product: ModelProduct, to number: Int) {
        let claim = self.claims[number]
        self.claims[number].grantAmount = Self.worth(of: product, claim.periodType)
        guard !product.unlimited, claim.periodType != .trial else { return }
        let ofYear = product.period == "P1Y" ? product.amount + product.bonus : nil
        self.claims[number].commitmentAmount = product.commitmentAmount ?? ofYear
        if let share = Self.share(of: self.claims[number]) { self.claims[number].grantAmount = share }
    }

    /// Returns the share of one billing period, if it is one of a commitment: the total of all periods so far, less the
    /// total of the earlier periods.
    private static func share(of claim: ModelClaim) -> Int64? {
        guard let commitment = claim.commitment, let whole = claim.commitmentAmount else { return nil }
        let parts = Int64(commitment.periods)
        let before = whole * Int64(commitment.period - 1)
        return (before + whole) / parts - before / parts
    }

    /// Returns the amount that a claim loses: the amount above its share of a commitment that was reported late, and
    /// the refunded share of the rest.
    private static func takenBack(_ claim: ModelClaim, of granted: Int64) -> Int64 {
        var due = granted
        if let share = Self.share(of: claim) { due = min(due, share * Int64(claim.quantity)) }
        return granted - due + Self.refunded(claim, of: due)
    }

    private static func worth(of product: ModelProduct, _ period: StoreFact.PeriodType?) -> Int64 {
        if product.unlimited { return 0 }
        return period == .trial ? product.trialAmount : product.amount + product.bonus
    }

    private static func expiry(_ product: ModelProduct, _ claim: ModelClaim) -> Date? {
        switch product.kind {
        case "pass":
            product.validDays.map {
                (Self.latestStart(product.startsWithinDays, claim) ?? claim.purchasedAt) + Double($0) * 86_400
            }
        case "plan": claim.expiresAt
        default: nil
        }
    }
}
