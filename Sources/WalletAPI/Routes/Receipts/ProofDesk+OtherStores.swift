import StoreSync
import Stores
import Wallet

extension ProofDesk {
    func play(_ token: String, _ productID: String, of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.googlePlay, "Google Play purchases")
        try self.takeTurn(of: user)
        let isPlan = try await self.wallet.plans().contains { $0.storeIDs.playStore?.isProduct(productID) ?? false }
        let facts =
            isPlan
            ? try await api.subscription(token: token).filter { $0.storeProductID.isProduct(productID) }
            : [try await api.product(productID: productID, token: token)]
        return ProvenPurchases(environment: facts.first?.environment ?? .production, facts: facts)
    }

    func revenueCat(of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.revenueCat, "RevenueCat purchases")
        try self.takeTurn(of: user)
        let facts = try await api.statements(of: user).map(\.fact)
        let environment: StoreEnvironment =
            facts.contains { $0.environment == .production } || facts.isEmpty ? .production : .sandbox
        return ProvenPurchases(environment: environment, facts: facts, isTold: true)
    }
}

extension String {
    /// Whether a product as Google Play names it, with or without its base plan, is the one asked for.
    fileprivate func isProduct(_ productID: String) -> Bool {
        self == productID || self.hasPrefix(productID + ":") || productID.hasPrefix(self + ":")
    }
}
