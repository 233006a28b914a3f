extension WalletProtocol {
    /// Submits a transaction that the App Store signed; submitting it again grants nothing twice.
    /// - Parameter signedTransaction: the transaction as StoreKit gives it (`jwsRepresentation`).
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `wrong-app`, `transaction-already-claimed`.
    public func submit(signedTransaction: String) async throws -> ReceiptResult {
        try await self.submit(.signedTransaction(signedTransaction))
    }

    /// Submits an App Store receipt; submitting it again grants nothing twice.
    /// - Parameters:
    ///   - receipt: the receipt in base64.
    ///   - transactionID: a transaction that must be in it.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `wrong-app`, `no-purchase-found`.
    public func submitReceipt(_ receipt: String, transactionID: String? = nil) async throws -> ReceiptResult {
        try await self.submit(.receipt(receipt, transactionID: transactionID))
    }

    /// Submits the id of an App Store transaction that was bought with the user's account token.
    /// - Parameter transactionID: the store's transaction id.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `proof-of-purchase-required`, `verification-unavailable`.
    public func submit(transactionID: String) async throws -> ReceiptResult {
        try await self.submit(.transactionID(transactionID))
    }

    /// Submits a Google Play purchase; submitting it again grants nothing twice.
    ///
    /// The wallet acknowledges the purchase with the store once it has granted it. One that is not paid yet is answered
    /// as skipped with `pending`.
    /// - Parameters:
    ///   - playPurchase: the purchase token.
    ///   - productID: the product as Google Play names it.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `transaction-already-claimed`.
    public func submit(playPurchase: String, productID: String) async throws -> ReceiptResult {
        try await self.submit(.playPurchase(token: playPurchase, productID: productID))
    }

    /// Lets the wallet ask RevenueCat what the user has bought, for purchases whose webhook is late.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `no-purchase-found`, `verification-unavailable`.
    public func syncRevenueCat() async throws -> ReceiptResult {
        try await self.submit(.revenueCat)
    }

    /// Brings back what a deleted account left behind, by an App Store receipt.
    /// - Parameter receipt: the receipt in base64.
    /// - Returns: what was brought back.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(receipt: String) async throws -> RestoreResult {
        try await self.restore(.receipt(receipt))
    }

    /// Brings back what a deleted account left behind, by what the App Store signed.
    /// - Parameters:
    ///   - signedTransactions: the transactions as StoreKit gives them, 200 at most.
    ///   - appTransaction: the app's own proof as StoreKit gives it, if the app has it.
    /// - Returns: what was brought back.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(signedTransactions: [String], appTransaction: String? = nil) async throws -> RestoreResult {
        try await self.restore(.signedTransactions(signedTransactions, appTransaction: appTransaction))
    }
}
