public import Stores
public import Wallet

/// Decides what a proof of purchase proves, by asking the store that it is of.
public struct PurchaseVerifier: Sendable {
    let wallet: Wallet
    let stores: StoreClients
    /// Counts a question to a store against the user's quota; false where it is used up.
    let mayAskStore: @Sendable (UserID) -> Bool

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - wallet: The wallet, which knows the catalogue and the users' account tokens.
    ///   - stores: The clients of the stores that are enabled.
    ///   - mayAskStore: Counts a question to a store against the user's quota; false where it is used up.
    public init(wallet: Wallet, stores: StoreClients, mayAskStore: @escaping @Sendable (UserID) -> Bool) {
        self.wallet = wallet
        self.stores = stores
        self.mayAskStore = mayAskStore
    }

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - proof: What the user sent.
    ///   - user: The user.
    /// - Returns: The purchases that it proves; none for a proof that bought nothing.
    /// - Throws: ``StoreSyncError`` and ``StoreError`` for proofs that prove nothing and stores that cannot be asked.
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
