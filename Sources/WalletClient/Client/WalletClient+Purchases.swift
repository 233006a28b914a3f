extension WalletClient {
    /// Submits a proof of purchase; submitting it again grants nothing twice.
    ///
    /// Finish with the store what ``ReceiptResult/finish`` names, and nothing before. The client goes on with the
    /// wallet that was credited.
    /// - Parameter proof: what shows the purchase.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `unsigned-transaction`, `receipt-rejected`,
    ///   `wrong-app`, `no-purchase-found`, `transaction-already-claimed`, `account-token-mismatch`,
    ///   `proof-of-purchase-required`, `verification-unavailable`, `rate-limited`.
    public func submit(_ proof: PurchaseProof) async throws -> ReceiptResult {
        let call = WalletCall(method: "POST", path: ["receipts"], body: try ProofBody(proof).bytes)
        let result = try await self.send(call, as: ReceiptResult.self).0
        self.use(result.environment)
        return result
    }

    /// Brings back what a deleted account left behind; again it brings nothing twice.
    ///
    /// The client goes on with the wallet that the purchases are in.
    /// - Parameter proof: what shows that the purchases are the user's.
    /// - Returns: what was brought back.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `transaction-already-claimed`,
    ///   `receipt-rejected`, `verification-unavailable`.
    public func restore(_ proof: RestoreProof) async throws -> RestoreResult {
        let call = WalletCall(method: "POST", path: ["restore"], body: try ProofBody(proof).bytes)
        let result = try await self.send(call, as: RestoreResult.self).0
        self.use(result.environment)
        return result
    }

    /// Reads what became of one store transaction of the user.
    /// - Parameter transactionID: the store's transaction id.
    /// - Returns: the purchase.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`.
    public func purchase(_ transactionID: String) async throws -> Purchase {
        try await self.send(WalletCall(path: ["purchases", transactionID]), as: Purchase.self).0
    }
}
