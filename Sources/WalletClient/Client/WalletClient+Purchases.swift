extension WalletClient {
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

    /// Reads one store transaction of the user.
    /// - Parameter transactionID: The store's transaction id.
    /// - Returns: The purchase with its status.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`.
    public func purchase(_ transactionID: String) async throws -> Purchase {
        try await self.send(WalletCall(path: ["purchases", transactionID]), as: Purchase.self).0
    }
}
