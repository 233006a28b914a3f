import Stores
public import Wallet

/// Takes proofs of purchase in: has them verified, and lets the wallet decide each transaction.
public struct PurchaseIntake: Sendable {
    /// What a proof proved and what became of it.
    public struct Result: Sendable {
        /// The purchases that the store confirmed.
        public let verified: VerifiedPurchases
        /// What became of each.
        public let outcomes: [FactOutcome]
        /// Those of the transaction that was named; all where none was.
        public let concerned: [FactOutcome]
    }

    let wallet: Wallet
    let verifier: PurchaseVerifier
    let acknowledger: Acknowledger?

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - wallet: The wallet that decides.
    ///   - verifier: Asks the stores.
    ///   - acknowledger: Acknowledges at Google Play what was granted; nil without that store.
    public init(wallet: Wallet, verifier: PurchaseVerifier, acknowledger: Acknowledger?) {
        self.wallet = wallet
        self.verifier = verifier
        self.acknowledger = acknowledger
    }

    /// Takes a proof; what is decided stays decided if a later transaction fails.
    ///
    /// - Parameters:
    ///   - proof: What the user sent.
    ///   - named: The transaction that must be in it.
    ///   - caller: Who sent it.
    /// - Returns: What became of each transaction.
    /// - Throws: ``StoreSyncError`` where it holds no such purchase, or what it is about is another's; `WalletError` 401
    ///   where the caller has deleted the account while the store was asked.
    public func submit(_ proof: PurchaseProof, naming named: String?, for caller: Caller) async throws -> Result {
        let verified = try await self.verifier.verify(proof, of: caller.user)
        try verified.requirePurchase(named: named)
        let outcomes = try await self.apply(verified, for: caller)
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        if let refusal = StoreSyncError.foreign(concerned.map(\.reason)) { throw refusal }
        return Result(verified: verified, outcomes: outcomes, concerned: concerned)
    }

    private func apply(_ verified: VerifiedPurchases, for caller: Caller) async throws -> [FactOutcome] {
        // What a store attests of a user opens no deleted account, and yet is applied; it has no caller to refuse.
        if verified.isAttestedByStore { try await self.wallet.admit(caller) }
        let outcomes = try await self.wallet.apply(
            verified.facts,
            submittedBy: caller,
            attestedByStore: verified.isAttestedByStore
        )
        if verified.facts.contains(where: { $0.needsAcknowledgement == true }) {
            self.acknowledger?.begin(limit: 5)
        }
        return outcomes
    }
}
