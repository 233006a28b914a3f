import Foundation

extension SandboxLedger {
    /// Returns a one-time purchase.
    /// - Parameters:
    ///   - product: The product in the call, nil if the call contains none.
    ///   - token: The purchase token.
    /// - Returns: The purchase.
    /// - Throws: ``PlayRefusal`` for a token that is unknown or belongs to another product.
    func playProduct(_ product: String?, token: String) throws -> SandboxTransaction {
        let known = self.state.transactions(ofPurchaseToken: token).last
        guard let known, known.kind != .subscription else { throw PlayRefusal.unknownToken }
        guard product == nil || known.productID == product else { throw PlayRefusal.wrongProduct }
        return known
    }

    /// Returns a subscription.
    /// - Parameter token: The purchase token.
    /// - Returns: The subscription in the API's format.
    /// - Throws: ``PlayRefusal`` for an unknown token.
    func playSubscription(token: String) throws -> PlaySubscriptionAnswer {
        let periods = self.state.transactions(ofPurchaseToken: token)
        guard let answer = PlaySubscriptionAnswer(periods: periods, in: self.state, at: self.now) else {
            throw PlayRefusal.unknownToken
        }
        return answer
    }

    /// Records the app's acknowledgement of a product's delivery.
    /// - Throws: ``PlayRefusal`` if the purchase was already acknowledged or consumed, is unpaid or was refunded.
    func acknowledgeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone else { throw PlayRefusal.notOwned }
        guard transaction.canBeAcknowledged else { throw PlayRefusal.invalidState }
        transaction.acknowledgedAt = self.now
        try self.keepPlay(transaction)
    }

    /// Consumes a product, so that it can be bought again; this also acknowledges it.
    /// - Throws: ``PlayRefusal`` if the purchase was already consumed, is unpaid or was refunded.
    func consumeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone, transaction.consumedAt == nil else { throw PlayRefusal.notOwned }
        guard transaction.pendingSince == nil else { throw PlayRefusal.invalidState }
        let now = self.now
        transaction.consumedAt = now
        transaction.acknowledgedAt = transaction.acknowledgedAt ?? now
        try self.keepPlay(transaction)
    }

    /// Records the app's acknowledgement of a subscription; renewals need none.
    /// - Throws: ``PlayRefusal`` if the subscription was already acknowledged, is unpaid or was refunded.
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
