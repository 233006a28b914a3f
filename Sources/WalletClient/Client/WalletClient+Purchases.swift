import Foundation

extension WalletClient {
    private struct PurchasePage: Decodable {
        let purchases: [Purchase]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case purchases
            case nextCursor = "next_cursor"
        }
    }

    private struct PassPage: Decodable {
        let passes: [Pass]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case passes
            case nextCursor = "next_cursor"
        }
    }

    /// Submits a proof of purchase; submitting it again grants nothing twice.
    ///
    /// Finish only the transactions in ``ReceiptResult/finish`` with the store. After the call, the client uses the
    /// wallet that was credited.
    /// - Parameter proof: The proof of the purchase.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `unsigned-transaction`, `receipt-rejected`,
    ///   `wrong-app`, `no-purchase-found`, `transaction-already-claimed`, `account-token-mismatch`,
    ///   `proof-of-purchase-required`, `verification-unavailable`, `rate-limited`.
    public func submit(_ proof: PurchaseProof) async throws -> ReceiptResult {
        let call = WalletCall(method: "POST", path: ["receipts"], body: try ProofBody(proof).bytes)
        let result = try await self.send(call, as: ReceiptResult.self).0
        self.use(result.environment)
        return result
    }

    /// Restores the purchases of a deleted account to the user; a repeat restores nothing twice.
    ///
    /// After the call, the client uses the wallet that holds the purchases.
    /// - Parameter proof: The proof that the purchases belong to the user.
    /// - Returns: The restored and the skipped purchases.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `transaction-already-claimed`,
    ///   `receipt-rejected`, `verification-unavailable`.
    public func restore(_ proof: RestoreProof) async throws -> RestoreResult {
        let call = WalletCall(method: "POST", path: ["restore"], body: try ProofBody(proof).bytes)
        let result = try await self.send(call, as: RestoreResult.self).0
        self.use(result.environment)
        return result
    }

    /// Lists the user's store purchases and their remaining amounts.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of purchases; nil for the wallet's default.
    /// - Returns: A page of purchases.
    /// - Throws: ``WalletProblem``.
    public func purchases(cursor: String? = nil, limit: Int? = nil) async throws -> Page<Purchase> {
        let call = WalletCall(path: ["purchases"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: PurchasePage.self).0
        return Page(items: page.purchases, nextCursor: page.nextCursor)
    }

    /// Reads one store transaction of the user.
    /// - Parameter transactionID: The store's transaction id.
    /// - Returns: The purchase with its status.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`.
    public func purchase(_ transactionID: String) async throws -> Purchase {
        try await self.send(WalletCall(path: ["purchases", transactionID]), as: Purchase.self).0
    }

    /// Reads the user's subscriptions and entitlements.
    /// - Returns: The subscriptions, tier and entitlements.
    /// - Throws: ``WalletProblem``.
    public func subscriptions() async throws -> SubscriptionOverview {
        try await self.send(WalletCall(path: ["subscriptions"]), as: SubscriptionOverview.self).0
    }

    /// Lists the user's passes and their uses, newest pass first.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of passes; nil for the wallet's default.
    /// - Returns: A page of passes.
    /// - Throws: ``WalletProblem``.
    public func passes(cursor: String? = nil, limit: Int? = nil) async throws -> Page<Pass> {
        let call = WalletCall(path: ["passes"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: PassPage.self).0
        return Page(items: page.passes, nextCursor: page.nextCursor)
    }

    /// Spends one visit of a pass without a booking, at most once for each reference.
    /// - Parameters:
    ///   - transactionID: The store's transaction id of the pass.
    ///   - reference: The app's own text for the visit's purpose. Repeating a reference spends nothing.
    /// - Returns: The number of visits left.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`, `purchase-without-visits`, `already-consumed`.
    public func consume(_ transactionID: String, reference: String) async throws -> ConsumeResult {
        let call = WalletCall(
            method: "POST",
            path: ["purchases", transactionID, "consume"],
            body: try JSONEncoder().encode(["reference": reference])
        )
        return try await self.send(call, as: ConsumeResult.self).0
    }
}

/// The request body of a proof of purchase; nil properties are omitted.
private struct ProofBody: Encodable {
    let store: String
    var receipt: String?
    var signedTransaction: String?
    var signedTransactions: [String]?
    var appTransaction: String?
    var transactionID: String?
    var purchaseToken: String?
    var productID: String?

    private enum CodingKeys: String, CodingKey {
        case store
        case receipt
        case signedTransaction = "signed_transaction"
        case signedTransactions = "signed_transactions"
        case appTransaction = "app_transaction"
        case transactionID = "transaction_id"
        case purchaseToken = "purchase_token"
        case productID = "product_id"
    }

    init(_ proof: PurchaseProof) {
        switch proof {
        case .signedTransaction(let signed):
            self.store = "app_store"
            self.signedTransaction = signed
        case .receipt(let receipt, let transactionID):
            self.store = "app_store"
            self.receipt = receipt
            self.transactionID = transactionID
        case .transactionID(let id):
            self.store = "app_store"
            self.transactionID = id
        case .playPurchase(let token, let productID):
            self.store = "play_store"
            self.purchaseToken = token
            self.productID = productID
        case .revenueCat:
            self.store = "revenuecat"
        }
    }

    init(_ proof: RestoreProof) {
        self.store = "app_store"
        switch proof {
        case .receipt(let receipt):
            self.receipt = receipt
        case .signedTransactions(let signed, let appTransaction):
            self.signedTransactions = signed
            self.appTransaction = appTransaction
        }
    }

    /// The encoded JSON; the slashes in a receipt are not escaped.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return try encoder.encode(self)
        }
    }
}
