import Foundation
import Stores
import Wallet

extension WalkPlan {
    /// A guest is first named, a token arrives, or a user identifies.
    mutating func identity(_ books: Books) -> WalkStep {
        if let guest = self.tokens.indices.first(where: { !self.users.contains($0) }) {
            self.users.append(guest)
            return self.introduction(of: guest, books)
        }
        if self.random.chance(60), let step = self.debt(books) { return step }
        return self.random.chance(25) ? self.token(books) : self.merge(books)
    }

    /// A guest with a debt identifies, or the purchase that paid for a guest's booking is refunded.
    private mutating func debt(_ books: Books) -> WalkStep? {
        let guests = self.users.suffix(2).filter { books.root($0) == $0 && books.identities[$0] != .signedIn }
        let debtor = guests.first { user in
            WalletEnvironment.allCases.contains { environment in
                let wallet = books[WalletKey(user: user, environment: environment)]
                return wallet.owed(.credit) + wallet.owed(.visit) > 0
            }
        }
        if let debtor { return .merge(debtor, into: 0) }
        let spent = self.purchases.first { guests.contains($0.buyer) && Self.isSpent($0, books) }
        guard let spent else { return nil }
        var fact = spent.fact(by: &self.random, at: self.hours(0, from: books.now), everything: true)
        fact.sourceAt = self.hours(0, from: books.now)
        fact.refundedMillionths = 1_000_000
        return .apply(fact, by: spent.buyer)
    }

    /// A store, an operator, an import or an anonymous token names a guest first.
    private mutating func introduction(of guest: Int, _ books: Books) -> WalkStep {
        let key = WalletKey(user: guest, environment: .production)
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0..<2: return self.purchase(of: guest, books)
        case 2:
            let gift = ModelAdjustment(key: key, unit: .credit, amount: 12)
            let reference = self.name("a")
            self.references.append(reference)
            return .adjust(gift, reference: reference, expiresAt: nil, reason: "goodwill")
        case 3:
            let gift = ModelAdjustment(key: key, unit: .visit, amount: 2, source: "promo")
            let asked = ModelOperatorAdjustment(
                adjustment: gift,
                reference: self.name("g"),
                expiresAt: self.hours(30, from: books.now),
                reason: "thank you"
            )
            let request = (asked: asked, key: self.name("o"))
            self.operatorAdjustments.append(request)
            return .operate(request.asked, key: request.key)
        default: return .signIn(guest, isAnonymous: true)
        }
    }

    /// A token arrives: an anonymous one of any user, or one of a user who has signed in.
    ///
    /// A token of a user who signed in creates no account, so it is drawn only for users who have one.
    private mutating func token(_ books: Books) -> WalkStep {
        let user = self.user()
        let hasAccount = books.wallets.keys.contains { $0.user == user }
        return .signIn(user, isAnonymous: !hasAccount || self.random.chance(50))
    }

    /// A user identifies: mostly a guest, as a member.
    private mutating func merge(_ books: Books) -> WalkStep {
        let guests = self.users.suffix(2).filter { books.root($0) == $0 }
        let anonymous = self.random.chance(80) ? guests.randomElement(using: &self.random) : nil
        let from = anonymous ?? self.user()
        let others = self.users.dropLast(2) + (self.random.chance(10) ? self.users.suffix(2) : [])
        let into = others.filter { $0 != from }.randomElement(using: &self.random)
        return .merge(from, into: into ?? (from == 0 ? 1 : 0))
    }
}
