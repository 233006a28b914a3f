import Foundation

extension SandboxLedger {
    /// Changes to a better product immediately.
    ///
    /// The App Store begins a new period under the same original id. Google Play ends the old subscription and creates
    /// a new one, whose purchase token links to the old token.
    func upgrade(_ originalID: String, to productID: String) throws -> ControlOutcome {
        let product = try self.subscriptionProduct(productID)
        return try self.actOnChain(originalID) { state, chain, newest, now in
            guard newest.productID != product.id(at: newest.store) else {
                throw ControlRefusal.conflict("The subscription already has this product.")
            }
            guard newest.purchasedAt <= now else { throw ControlRefusal.conflict("The newest period has not started.") }
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            switch newest.store {
            case .appStore: return try self.replace(newest, by: product, in: &state, &chain, at: now)
            case .googlePlay: return Self.replaceChain(of: newest, by: product, in: &state, &chain, at: now)
            }
        }
    }

    /// Changes to another product at the end of the current period; the current product reverts an earlier change.
    func downgrade(_ originalID: String, to productID: String) throws -> ControlOutcome {
        let product = try self.subscriptionProduct(productID)
        return try self.actOnChain(originalID) { _, chain, newest, _ in
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            let next = newest.productID == product.id(at: newest.store) ? nil : product.id(at: newest.store)
            guard next != chain.nextProductID else { return Deed(newest) }
            chain.nextProductID = next
            return Deed(newest, .downgradePlanned)
        }
    }

    private func subscriptionProduct(_ id: String) throws -> SandboxProduct {
        let product = try self.product(id)
        guard product.kind == .subscription else { throw ControlRefusal.invalid("The product is not a subscription.") }
        return product
    }

    private func replace(
        _ newest: SandboxTransaction,
        by product: SandboxProduct,
        in state: inout SandboxState,
        _ chain: inout SandboxSubscription,
        at now: Date
    ) throws -> Deed {
        chain.nextProductID = product.id(at: newest.store)
        var deed = try self.follow(newest, from: now, as: .upgraded, in: &state, &chain, at: now)
        var replaced = newest
        replaced.upgradedAt = now
        state.transactions[replaced.id] = replaced
        deed.steps = [Step(kind: .upgraded, transaction: deed.transaction, previous: replaced)]
        return deed
    }

    private static func replaceChain(
        of newest: SandboxTransaction,
        by product: SandboxProduct,
        in state: inout SandboxState,
        _ chain: inout SandboxSubscription,
        at now: Date
    ) -> Deed {
        var replaced = newest
        replaced.upgradedAt = now
        replaced.expiresAt = min(newest.expiresAt ?? now, now)
        state.transactions[replaced.id] = replaced
        chain.end(.replaced, at: now)
        var next = state.newPlayPurchase(after: newest, of: product, at: now)
        next.linkedPurchaseToken = newest.purchaseToken
        state.transactions[next.id] = next
        state.chains[next.id] = SandboxSubscription(
            purchaseToken: next.purchaseToken,
            linkedPurchaseToken: next.linkedPurchaseToken,
            transferredTo: chain.transferredTo
        )
        return Deed(next, [Step(kind: .upgraded, transaction: next, previous: replaced)])
    }
}
