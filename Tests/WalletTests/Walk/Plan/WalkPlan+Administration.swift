import Foundation
import Wallet

extension WalkPlan {
    mutating func adjustment(_ books: Books) -> WalkStep {
        let unit: CreditUnit = self.random.pick(.credit, .credit, .visit)
        let size = Int64.random(in: -40...60, using: &self.random)
        var adjustment = ModelAdjustment(
            key: self.wallet(),
            unit: unit,
            amount: unit == .visit ? size / 10 : size
        )
        var reference = self.name("a")
        if self.random.chance(50), let known = self.references.randomElement(using: &self.random) {
            reference = known
            if self.random.chance(50), let posted = books.adjustments[known] { adjustment = posted }
        }
        self.references.append(reference)
        let expiresAt =
            self.random.chance(50) ? self.hours(Int.random(in: -2...60, using: &self.random), from: books.now) : nil
        return .adjust(
            adjustment,
            reference: reference,
            expiresAt: expiresAt,
            reason: self.random.chance(95) ? "goodwill" : ""
        )
    }

    /// An operator adjusts a wallet or makes a gift, mostly with an expiry; sometimes under a key or reference that was
    /// used before.
    mutating func operatorAdjustment(_ books: Books) -> WalkStep {
        if self.random.chance(40), var known = self.operatorAdjustments.randomElement(using: &self.random) {
            if self.random.chance(25) { known.asked.adjustment.amount += 1 }
            if self.random.chance(20) { known.asked.reason = "another reason" }
            if self.random.chance(50) { known.key = self.name("o") }
            return .operate(known.asked, key: known.key)
        }
        let isGift = self.random.chance(60)
        let unit: CreditUnit = self.random.pick(.credit, .visit)
        let size = Int64.random(in: (isGift ? -2 : -20)...(unit == .visit ? 4 : 30), using: &self.random)
        let hours = Int.random(in: -1...30, using: &self.random)
        let asked = ModelOperatorAdjustment(
            adjustment: ModelAdjustment(
                key: self.wallet(),
                unit: unit,
                amount: size,
                source: isGift ? "promo" : "adjustment"
            ),
            reference: self.name("g"),
            expiresAt: self.random.chance(75) ? self.hours(hours, from: books.now) : nil,
            reason: self.random.chance(95) ? "thank you" : " "
        )
        let request = (asked: asked, key: self.name("o"))
        self.operatorAdjustments.append(request)
        return .operate(request.asked, key: request.key)
    }

    /// Imports a balance from one of two other systems; sometimes one that was imported before, unchanged or changed.
    mutating func importedBalance() -> WalkStep {
        if self.random.chance(40), var known = self.imports.randomElement(using: &self.random) {
            if self.random.chance(50) { known.balance.credits += 1 }
            return .importBalance(known.balance, source: known.source)
        }
        let balance = ModelImport(
            key: self.wallet(),
            credits: Int64.random(in: 1...30, using: &self.random),
            visits: self.random.pick(0, 0, 1, 2)
        )
        let known = (balance: balance, source: self.random.pick("the old app", "the desk"))
        self.imports.append(known)
        return .importBalance(known.balance, source: known.source)
    }

    mutating func walletUpdate(_ books: Books) -> WalkStep {
        let user = books.root(self.user())
        let wallet = books[WalletKey(user: user, environment: .production)]
        let credits = wallet.spendable(.credit, at: books.now) + Int64.random(in: -30...30, using: &self.random)
        let visits = wallet.spendable(.visit, at: books.now) + Int64.random(in: -2...2, using: &self.random)
        return .setWallet(
            user,
            credits: self.random.chance(80) ? credits : nil,
            visits: self.random.chance(40) ? visits : nil,
            reason: self.random.chance(95) ? "counted again" : nil
        )
    }

    /// Advances the clock by some hours; sometimes to just before the start of a class, or until a lot that paid for a
    /// moved class has just expired.
    mutating func clockMove(_ books: Books) -> WalkStep {
        if self.random.chance(60), let stranded = books.nextStrandedAt { return self.wait(until: stranded, books) }
        let next = books.classes.values.filter { !$0.isClosed(at: books.now) }.map(\.terms.startsAt).min()
        if self.random.chance(25), let next {
            let hours = Int(next.timeIntervalSince(books.now) / 3_600) - self.random.pick(0, 1, 3)
            if hours > 0 { return .advance(hours: hours) }
        }
        return .advance(hours: self.random.pick(1, 1, 2, 3, 5, 8, 12, 24, 24, 60))
    }

    func wait(until instant: Date, _ books: Books) -> WalkStep {
        .advance(hours: Int((instant.timeIntervalSince(books.now) / 3_600).rounded(.up)))
    }
}
