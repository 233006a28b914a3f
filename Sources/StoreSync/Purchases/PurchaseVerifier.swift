public import Stores
public import Wallet

/// Verifies proofs of purchase with the store that issued them.
public struct PurchaseVerifier: Sendable {
    let wallet: Wallet
    let stores: StoreClients
    /// Counts a store call against the user's quota; returns `false` if the quota is exhausted.
    let mayAskStore: @Sendable (UserID) -> Bool

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - wallet: The wallet, which has the catalogue and the users' account tokens.
    ///   - stores: The clients of the enabled stores.
    ///   - mayAskStore: Counts a store call against the user's quota; returns `false` if the quota is exhausted.
    public init(wallet: Wallet, stores: StoreClients, mayAskStore: @escaping @Sendable (UserID) -> Bool) {
        self.wallet = wallet
        self.stores = stores
        self.mayAskStore = mayAskStore
    }

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - proof: The user's proof.
    ///   - user: The user.
    /// - Returns: The purchases that it proves; empty if it contains none.
    /// - Throws: ``StoreSyncError`` and ``StoreError`` for invalid proofs and for stores that cannot be reached.
    public func verify(_ proof: PurchaseProof, of user: UserID) async throws -> VerifiedPurchases {
        switch proof {
        case .receipt(let text): try await self.receipt(text, of: user)
        case .signed(let transactions, let app): try await self.signed(transactions, app)
        case .transactionID(let id): try await self.transaction(id, of: user)
        case .purchaseToken(let token, let productID): try await self.play(token, productID, of: user)
        case .revenueCat: try await self.revenueCat(of: user)
        }
    }

    func countQuestion(of user: UserID) throws {
        guard self.mayAskStore(user) else { throw StoreSyncError(.rateLimited) }
    }

    static func enabled<Client>(_ client: Client?, _ name: String) throws -> Client {
        guard let client else { throw StoreSyncError(.storeNotEnabled, subject: name) }
        return client
    }
}
