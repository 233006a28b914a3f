import HTTPTypes
import Stores
import Wallet

/// Decides what a proof of purchase proves, by asking the store that it is of.
struct ProofDesk {
    let wallet: Wallet
    let stores: StoreClients
    let limiter: UserRateLimiter

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - proof: What the caller sent.
    ///   - user: The caller.
    /// - Returns: The purchases that it proves; none for a proof that bought nothing.
    /// - Throws: ``Problem`` and ``StoreError`` for proofs that prove nothing and stores that cannot be asked.
    func verify(_ proof: ReceiptSubmission.Proof, of user: UserID) async throws -> ProvenPurchases {
        switch proof {
        case .receipt(let text): try await self.receipt(text, of: user)
        case .signed(let transactions, let app): try await self.signed(transactions, app)
        case .transactionID(let id): try await self.transaction(id, of: user)
        case .purchaseToken(let token, let productID): try await self.play(token, productID, of: user)
        case .revenueCat: try await self.revenueCat(of: user)
        }
    }

    private func receipt(_ text: String, of user: UserID) async throws -> ProvenPurchases {
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

    private func signed(_ transactions: [String], _ appTransaction: String?) async throws -> ProvenPurchases {
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
    private func transaction(_ id: String, of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.serverAPI, "Transaction ids")
        try self.takeTurn(of: user)
        guard let fact = try await Self.fact(of: id, from: api) else { throw Self.proofRequired }
        let token = try await self.wallet.balance(of: user, in: WalletEnvironment(fact.environment)).appAccountToken
        guard fact.appAccountToken == token else { throw Self.proofRequired }
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

    private func play(_ token: String, _ productID: String, of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.googlePlay, "Google Play")
        try self.takeTurn(of: user)
        let isPlan = try await self.wallet.plans().contains { $0.storeIDs.playStore?.isProduct(productID) ?? false }
        let facts =
            isPlan
            ? try await api.subscription(token: token).filter { $0.storeProductID.isProduct(productID) }
            : [try await api.product(productID: productID, token: token)]
        return ProvenPurchases(environment: facts.first?.environment ?? .production, facts: facts)
    }

    private func revenueCat(of user: UserID) async throws -> ProvenPurchases {
        let api = try Self.enabled(self.stores.revenueCat, "RevenueCat")
        try self.takeTurn(of: user)
        let facts = try await api.statements(ofUser: user.rawValue).map(\.fact)
        let environment: StoreEnvironment =
            facts.contains { $0.environment == .production } || facts.isEmpty ? .production : .sandbox
        return ProvenPurchases(environment: environment, facts: facts, isTold: true)
    }

    private func takeTurn(of user: UserID) throws {
        guard self.limiter.take(user) else { throw self.limiter.refusal(of: user) }
    }

    private static func enabled<Client>(_ client: Client?, _ name: String) throws -> Client {
        guard let client else { throw Problem.malformed("\(name) are not enabled on this service.") }
        return client
    }

    private static let proofRequired = Problem(
        .forbidden,
        "proof-of-purchase-required",
        "A transaction id proves nothing unless the purchase names your account; send the signed transaction."
    )
}

extension String {
    /// Whether a product as Google Play names it, with or without its base plan, is the one asked for.
    fileprivate func isProduct(_ productID: String) -> Bool {
        self == productID || self.hasPrefix(productID + ":") || productID.hasPrefix(self + ":")
    }
}
