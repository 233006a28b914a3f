public import Stores
public import Wallet

/// Verifies proofs of purchase with the store that issued them.
public struct PurchaseVerifier: Sendable {
    private let wallet: Wallet
    private let stores: StoreClients
    /// Counts a store call against the user's quota; returns `false` if the quota is exhausted.
    private let mayAskStore: @Sendable (UserID) -> Bool

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

    private func receipt(_ text: String, of user: UserID) async throws -> VerifiedPurchases {
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

    private func signed(_ transactions: [String], _ appTransaction: String?) async throws -> VerifiedPurchases {
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
    private func transaction(_ id: String, of user: UserID) async throws -> VerifiedPurchases {
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

    private func play(_ token: String, _ productID: String, of user: UserID) async throws -> VerifiedPurchases {
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

    private func revenueCat(of user: UserID) async throws -> VerifiedPurchases {
        let api = try Self.enabled(self.stores.revenueCat, "RevenueCat purchases")
        try self.countQuestion(of: user)
        let facts = try await api.statements(of: user).map(\.fact)
        let environment: StoreEnvironment =
            facts.contains { $0.environment == .production } || facts.isEmpty ? .production : .sandbox
        return VerifiedPurchases(environment: environment, facts: facts, isAttestedByStore: true)
    }

    private func countQuestion(of user: UserID) throws {
        guard self.mayAskStore(user) else { throw StoreSyncError(.rateLimited) }
    }

    private static func enabled<Client>(_ client: Client?, _ name: String) throws -> Client {
        guard let client else { throw StoreSyncError(.storeNotEnabled, subject: name) }
        return client
    }
}

/// A proof of purchase in one of the stores' forms.
public enum PurchaseProof: Sendable, Equatable {
    /// An App Store receipt in base64.
    case receipt(String)
    /// Transactions that the App Store signed, and at most one app transaction.
    case signed([String], appTransaction: String?)
    /// The id of an App Store transaction, which proves nothing by itself.
    case transactionID(String)
    /// A Google Play purchase.
    case purchaseToken(String, productID: String)
    /// The purchases that RevenueCat attributes to the user.
    case revenueCat
}

/// Purchases that a user has proved, as the store describes them.
public struct VerifiedPurchases: Sendable {
    /// The store environment.
    public internal(set) var environment: StoreEnvironment
    /// The facts about each purchase.
    public internal(set) var facts: [StoreFact]
    /// Transactions of a receipt that could not be read.
    public internal(set) var unreadable: [VerifiedReceipt.SkippedTransaction] = []
    /// The id of the user's copy of the app, if it was proved.
    public internal(set) var appTransactionID: String?
    /// A Boolean value that indicates whether the store itself attributes these purchases to the user.
    public internal(set) var isAttestedByStore = false

    /// Throws if the proof contains no purchases or lacks the requested one.
    func requirePurchase(named: String?) throws {
        let known = self.facts.map(\.transactionID) + self.unreadable.compactMap(\.transactionID)
        let isEmpty = self.facts.isEmpty && self.unreadable.isEmpty
        guard !isEmpty, named.map(known.contains) ?? true else { throw StoreSyncError(.noPurchaseFound) }
    }
}

extension String {
    /// Returns `true` if a product id of Google Play, with or without its base plan, matches the requested one.
    fileprivate func isProduct(_ productID: String) -> Bool {
        self == productID || self.hasPrefix(productID + ":") || productID.hasPrefix(self + ":")
    }
}

extension RevenueCatAPI {
    /// Returns a user's current purchases at RevenueCat.
    ///
    /// RevenueCat compares ids exactly, and an app on iOS may have sent the user id in upper case. If the usual
    /// spelling has no purchases, the other one is requested.
    ///
    /// - Parameter user: The user.
    /// - Returns: One fact per purchase.
    /// - Throws: As ``statements(ofUser:)``.
    public func statements(of user: UserID) async throws(StoreError) -> [StoreEvent.AttributedFact] {
        for id in user.spellings {
            let statements = try await self.statements(ofUser: id)
            if !statements.isEmpty { return statements }
        }
        return []
    }
}
