import Stores
import Wallet

extension ProofDesk {
    func receipt(_ text: String, of user: UserID) async throws -> ProvenPurchases {
        let verifier = try Self.enabled(self.stores.receipts, "App Store receipts")
        do {
            let receipt = try await verifier.verify(receipt: text) { self.limiter.take(user) }
            return ProvenPurchases(
                environment: receipt.environment,
                facts: receipt.facts,
                unreadable: receipt.skipped
            )
        } catch {
            guard error.code == .notPermitted else { throw error }
            throw self.limiter.refusal(of: user)
        }
    }

    func signed(_ transactions: [String], _ appTransaction: String?) async throws -> ProvenPurchases {
        let verifier = try Self.enabled(self.stores.signedData, "Signed App Store transactions")
        var facts: [StoreFact] = []
        for jws in transactions {
            facts.append(try await verifier.transaction(jws).fact(source: .signedTransaction))
        }
        var proven = ProvenPurchases(environment: facts.first?.environment ?? .production, facts: facts)
        if let appTransaction {
            let app = try await verifier.appTransaction(appTransaction)
            proven.appTransactionID = app.payload.appTransactionId
            if facts.isEmpty { proven.environment = app.environment }
        }
        return proven
    }

    /// A bare id proves nothing: the transaction itself must say that it was bought for the caller.
    func transaction(_ id: String, of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.serverAPI, "Transaction ids")
        try self.takeTurn(of: user)
        guard let fact = try await Self.fact(of: id, from: api) else { throw Problem.proofRequired }
        let token = try await self.wallet.balance(of: user, in: WalletEnvironment(fact.environment)).appAccountToken
        guard fact.appAccountToken == token else { throw Problem.proofRequired }
        return ProvenPurchases(environment: fact.environment, facts: [fact])
    }

    /// What does not exist must not be told from what is somebody else's, so it is no error.
    private static func fact(of id: String, from api: AppStoreServerAPI) async throws -> StoreFact? {
        do {
            return try await api.transaction(id).fact(source: .serverAPI)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
