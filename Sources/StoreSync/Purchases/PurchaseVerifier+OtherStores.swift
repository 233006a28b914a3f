import Stores
import Wallet

extension PurchaseVerifier {
    func play(_ token: String, _ productID: String, of user: UserID) async throws -> VerifiedPurchases {
        let api = try Self.enabled(self.stores.googlePlay, "Google Play purchases")
        try self.countQuestion(of: user)
        let isPlan = try await self.wallet.plans().contains { $0.storeIDs.playStore?.isProduct(productID) ?? false }
        var facts =
            isPlan
            ? try await api.subscription(token: token)
            : try await api.purchase(productID: productID, token: token)
        // One product of a purchase proves all of its products; a token of other products proves nothing.
        if isPlan, !facts.contains(where: { $0.storeProductID.isProduct(productID) }) { facts = [] }
        return VerifiedPurchases(environment: facts.first?.environment ?? .production, facts: facts)
    }

    func revenueCat(of user: UserID) async throws -> VerifiedPurchases {
        let api = try Self.enabled(self.stores.revenueCat, "RevenueCat purchases")
        try self.countQuestion(of: user)
        let facts = try await api.statements(of: user).map(\.fact)
        let environment: StoreEnvironment =
            facts.contains { $0.environment == .production } || facts.isEmpty ? .production : .sandbox
        return VerifiedPurchases(environment: environment, facts: facts, isAttestedByStore: true)
    }
}

extension String {
    /// Returns `true` if a product id of Google Play, with or without its base plan, matches the requested one.
    fileprivate func isProduct(_ productID: String) -> Bool {
        self == productID || self.hasPrefix(productID + ":") || productID.hasPrefix(self + ":")
    }
}
