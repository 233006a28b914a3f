import Stores
import Wallet

extension PurchaseVerifier {
    func receipt(_ text: String, of user: UserID) async throws -> VerifiedPurchases {
        let verifier = try Self.enabled(self.stores.receipts, "App Store receipts")
        do {
            let receipt = try await verifier.verify(receipt: text) { self.mayAskStore(user) }
            return VerifiedPurchases(
                environment: receipt.environment,
                facts: receipt.facts,
                unreadable: receipt.skipped
            )
        } catch {
            guard error.code == .notPermitted else { throw error }
            throw StoreSyncError(.rateLimited)
        }
    }

    func signed(_ transactions: [String], _ appTransaction: String?) async throws -> VerifiedPurchases {
        let verifier = try Self.enabled(self.stores.signedData, "Signed App Store transactions")
        var facts: [StoreFact] = []
        for jws in transactions {
            facts.append(try await verifier.transaction(jws).fact(source: .signedTransaction))
        }
        var verified = VerifiedPurchases(
            environment: facts.first?.environment ?? .production,
            facts: facts.listingProductsOfChains()
        )
        if let appTransaction {
            let app = try await verifier.appTransaction(appTransaction)
            verified.appTransactionID = app.payload.appTransactionId
            if facts.isEmpty { verified.environment = app.environment }
        }
        return verified
    }

    /// A transaction id alone proves nothing: the transaction's account token must be the caller's.
    func transaction(_ id: String, of user: UserID) async throws -> VerifiedPurchases {
        let api = try Self.enabled(self.stores.serverAPI, "Transaction ids")
        try self.countQuestion(of: user)
        guard let fact = try await Self.fact(of: id, from: api) else { throw StoreSyncError(.proofRequired) }
        let token = try await self.wallet.balance(of: user, in: WalletEnvironment(fact.environment)).appAccountToken
        guard fact.appAccountToken == token else { throw StoreSyncError(.proofRequired) }
        return VerifiedPurchases(environment: fact.environment, facts: [fact])
    }

    /// Returns nil instead of an error, since the response must not distinguish a missing transaction from another
    /// user's.
    private static func fact(of id: String, from api: AppStoreServerAPI) async throws -> StoreFact? {
        do {
            return try await api.transaction(id).fact(source: .serverAPI)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
