import Foundation

extension SandboxLedger {
    /// A purchase made once.
    /// - Parameters:
    ///   - product: the product that the caller takes it for, nil where the call names none.
    ///   - token: the purchase token.
    /// - Returns: the purchase.
    /// - Throws: ``PlayRefusal`` for a token that is unknown or another product's.
    func playProduct(_ product: String?, token: String) throws -> SandboxTransaction {
        let known = self.state.transactions(ofPurchaseToken: token).last
        guard let known, known.kind != .subscription else { throw PlayRefusal.unknownToken }
        guard product == nil || known.productID == product else { throw PlayRefusal.wrongProduct }
        return known
    }

    /// A subscription.
    /// - Parameter token: the purchase token.
    /// - Returns: the subscription as the API shows it.
    /// - Throws: ``PlayRefusal`` for a token that is unknown.
    func playSubscription(token: String) throws -> PlaySubscriptionAnswer {
        let periods = self.state.transactions(ofPurchaseToken: token)
        guard let answer = PlaySubscriptionAnswer(periods: periods, in: self.state, at: self.now) else {
            throw PlayRefusal.unknownToken
        }
        return answer
    }

    /// Takes the app's word that it gave what was bought.
    /// - Throws: ``PlayRefusal`` where that was said before, or where there is nothing to give.
    func acknowledgeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone else { throw PlayRefusal.notOwned }
        guard transaction.canBeAcknowledged else { throw PlayRefusal.invalidState }
        transaction.acknowledgedAt = self.now
        try self.keepPlay(transaction)
    }

    /// Lets a product be bought again; this acknowledges it too.
    /// - Throws: ``PlayRefusal`` where it was consumed before, refunded, or never paid.
    func consumeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone, transaction.consumedAt == nil else { throw PlayRefusal.notOwned }
        guard transaction.pendingSince == nil else { throw PlayRefusal.invalidState }
        let now = self.now
        transaction.consumedAt = now
        transaction.acknowledgedAt = transaction.acknowledgedAt ?? now
        try self.keepPlay(transaction)
    }

    /// Takes the app's word that a subscription was opened to its buyer; renewals need no such word.
    /// - Throws: ``PlayRefusal`` where that was said before, or where there is nothing to open.
    func acknowledgeSubscription(_ product: String, token: String) throws {
        let answer = try self.playSubscription(token: token)
        let known = [answer.first, answer.newest].flatMap(\.products)
        guard known.contains(where: { $0.playProduct.id == product }) else {
            throw PlayRefusal.wrongProduct
        }
        var first = answer.first
        guard !first.isUndone, first.canBeAcknowledged else { throw PlayRefusal.invalidState }
        first.acknowledgedAt = self.now
        try self.keepPlay(first)
    }

    private func keepPlay(_ transaction: SandboxTransaction) throws {
        try self.change { $0.transactions[transaction.id] = transaction }
    }
}

extension SandboxTransaction {
    fileprivate var canBeAcknowledged: Bool {
        self.acknowledgedAt == nil && self.consumedAt == nil && self.pendingSince == nil
    }
}
