import Foundation

extension WalletClient {
    /// Submits an App Store receipt; submitting it again grants nothing twice.
    ///
    /// Finish with the store what ``ReceiptResult/finish`` names, and nothing before. The client goes on with the
    /// wallet that was credited.
    /// - Parameters:
    ///   - receipt: the receipt in base64.
    ///   - transactionID: a transaction that must be in it.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `wrong-app`, `no-purchase-found`,
    ///   `transaction-already-claimed`, `verification-unavailable`.
    public func submitReceipt(_ receipt: String, transactionID: String? = nil) async throws -> ReceiptResult {
        try await self.submit(ProofBody(store: "app_store", receipt: receipt, transactionID: transactionID))
    }

    /// Submits a transaction that the App Store signed; submitting it again grants nothing twice.
    ///
    /// The wallet verifies the signature by itself, so this works while the store is down. The client goes on with the
    /// wallet that was credited.
    /// - Parameter signedTransaction: the transaction as StoreKit gives it (`jwsRepresentation`).
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `unsigned-transaction`, `receipt-rejected`,
    ///   `wrong-app`, `transaction-already-claimed`, `account-token-mismatch`.
    public func submit(signedTransaction: String) async throws -> ReceiptResult {
        try await self.submit(ProofBody(store: "app_store", signedTransaction: signedTransaction))
    }

    /// Submits the id of an App Store transaction that was bought with the user's account token.
    ///
    /// An id proves nothing by itself: without ``Balance/appAccountToken`` in the purchase it is refused. The client
    /// goes on with the wallet that was credited.
    /// - Parameter transactionID: the store's transaction id.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `proof-of-purchase-required`, `verification-unavailable`, `rate-limited`.
    public func submit(transactionID: String) async throws -> ReceiptResult {
        try await self.submit(ProofBody(store: "app_store", transactionID: transactionID))
    }

    /// Submits a Google Play purchase; submitting it again grants nothing twice.
    ///
    /// The wallet acknowledges the purchase with the store once it has granted it. One that is not paid yet is answered
    /// as skipped with `pending`. The client goes on with the wallet that was credited.
    /// - Parameters:
    ///   - playPurchase: the purchase token.
    ///   - productID: the product as Google Play names it.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `transaction-already-claimed`,
    ///   `verification-unavailable`, `rate-limited`.
    public func submit(playPurchase: String, productID: String) async throws -> ReceiptResult {
        try await self.submit(ProofBody(store: "play_store", purchaseToken: playPurchase, productID: productID))
    }

    /// Lets the wallet ask RevenueCat what the user has bought, for purchases whose webhook is late.
    ///
    /// RevenueCat must know the user by the wallet's user id. The client goes on with the wallet that was credited.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `no-purchase-found`, `verification-unavailable`, `rate-limited`.
    public func syncRevenueCat() async throws -> ReceiptResult {
        try await self.submit(ProofBody(store: "revenuecat"))
    }

    /// Brings back what a deleted account left behind, by an App Store receipt; again it brings nothing twice.
    ///
    /// A receipt shows no consumables that the app has finished; ``RestoreResult/unproven`` says how many are missing.
    /// The client goes on with the wallet that the receipt is of.
    /// - Parameter receipt: the receipt in base64.
    /// - Returns: what was brought back.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `transaction-already-claimed`,
    ///   `receipt-rejected`,
    ///   `verification-unavailable`.
    public func restore(receipt: String) async throws -> RestoreResult {
        try await self.restore(ProofBody(store: "app_store", receipt: receipt))
    }

    /// Brings back what a deleted account left behind, by what the App Store signed; again it brings nothing twice.
    ///
    /// The client goes on with the wallet that the transactions are of.
    /// - Parameters:
    ///   - signedTransactions: the transactions as StoreKit gives them, 200 at most.
    ///   - appTransaction: the app's own proof as StoreKit gives it, if the app has it.
    /// - Returns: what was brought back.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `transaction-already-claimed`,
    ///   `receipt-rejected`.
    public func restore(signedTransactions: [String], appTransaction: String? = nil) async throws -> RestoreResult {
        try await self.restore(
            ProofBody(store: "app_store", signedTransactions: signedTransactions, appTransaction: appTransaction)
        )
    }

    /// Reads what became of one store transaction of the user.
    /// - Parameter transactionID: the store's transaction id.
    /// - Returns: the purchase.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`.
    public func purchase(_ transactionID: String) async throws -> Purchase {
        try await self.send(WalletCall(path: ["purchases", transactionID]), as: Purchase.self).0
    }

    private func submit(_ proof: ProofBody) async throws -> ReceiptResult {
        let call = WalletCall(method: "POST", path: ["receipts"], body: try proof.bytes)
        let result = try await self.send(call, as: ReceiptResult.self).0
        self.use(result.environment)
        return result
    }

    private func restore(_ proof: ProofBody) async throws -> RestoreResult {
        let call = WalletCall(method: "POST", path: ["restore"], body: try proof.bytes)
        let result = try await self.send(call, as: RestoreResult.self).0
        self.use(result.environment)
        return result
    }
}
