extension WalletProtocol {
    /// Submits a transaction that the App Store signed; submitting it again grants nothing twice.
    /// - Parameter signedTransaction: The signed transaction (`jwsRepresentation` in StoreKit).
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `wrong-app`, `transaction-already-claimed`.
    public func submit(signedTransaction: String) async throws -> ReceiptResult {
        try await self.submit(.signedTransaction(signedTransaction))
    }

    /// Submits an App Store receipt; submitting it again grants nothing twice.
    /// - Parameters:
    ///   - receipt: The receipt in base64.
    ///   - transactionID: The id of a transaction that the receipt must contain; nil for no such requirement.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `wrong-app`, `no-purchase-found`.
    public func submitReceipt(_ receipt: String, transactionID: String? = nil) async throws -> ReceiptResult {
        try await self.submit(.receipt(receipt, transactionID: transactionID))
    }

    /// Submits the id of an App Store transaction that was bought with the user's account token.
    /// - Parameter transactionID: The store's transaction id.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `proof-of-purchase-required`, `verification-unavailable`.
    public func submit(transactionID: String) async throws -> ReceiptResult {
        try await self.submit(.transactionID(transactionID))
    }

    /// Submits a Google Play purchase; submitting it again grants nothing twice.
    ///
    /// The wallet acknowledges the purchase with the store after it has granted it. A purchase that is not paid yet is
    /// skipped with the reason `pending`.
    /// - Parameters:
    ///   - playPurchase: The purchase token.
    ///   - productID: The Google Play product id.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `transaction-already-claimed`.
    public func submit(playPurchase: String, productID: String) async throws -> ReceiptResult {
        try await self.submit(.playPurchase(token: playPurchase, productID: productID))
    }

    /// Requests that the wallet read the user's purchases from RevenueCat, for purchases whose webhook is late.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `no-purchase-found`, `verification-unavailable`.
    public func syncRevenueCat() async throws -> ReceiptResult {
        try await self.submit(.revenueCat)
    }

    /// Restores the purchases of a deleted account with an App Store receipt.
    /// - Parameter receipt: The receipt in base64.
    /// - Returns: The restored and the skipped purchases.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(receipt: String) async throws -> RestoreResult {
        try await self.restore(.receipt(receipt))
    }

    /// Restores the purchases of a deleted account with transactions that the App Store signed.
    /// - Parameters:
    ///   - signedTransactions: Up to 200 signed transactions (`jwsRepresentation` in StoreKit).
    ///   - appTransaction: The signed app transaction; nil if the app does not have it.
    /// - Returns: The restored and the skipped purchases.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(signedTransactions: [String], appTransaction: String? = nil) async throws -> RestoreResult {
        try await self.restore(.signedTransactions(signedTransactions, appTransaction: appTransaction))
    }
}
