import Stores
public import Wallet

/// Receives proofs of purchase: verifies them at the stores and applies each transaction to the wallet.
public struct PurchaseIntake: Sendable {
    /// The purchases that a proof proves and the outcome of each.
    public struct Result: Sendable {
        /// The purchases that the store confirmed.
        public let verified: VerifiedPurchases
        /// The outcome of each purchase.
        public let outcomes: [FactOutcome]
        /// The outcomes of the requested transaction; all outcomes if none was requested.
        public let concerned: [FactOutcome]
    }

    let wallet: Wallet
    let verifier: PurchaseVerifier
    let acknowledger: Acknowledger?

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - wallet: The wallet to which the purchases are applied.
    ///   - verifier: Verifies the proofs at the stores.
    ///   - acknowledger: Acknowledges granted purchases to Google Play; nil without that store.
    public init(wallet: Wallet, verifier: PurchaseVerifier, acknowledger: Acknowledger?) {
        self.wallet = wallet
        self.verifier = verifier
        self.acknowledger = acknowledger
    }

    /// Verifies and applies a proof; transactions that are already applied stay applied if a later one fails.
    ///
    /// - Parameters:
    ///   - proof: The user's proof.
    ///   - named: The transaction that the proof must contain.
    ///   - caller: The user who sent the proof.
    /// - Returns: The outcome of each transaction.
    /// - Throws: ``StoreSyncError`` if the proof lacks the purchase or everything belongs to another account;
    ///   `WalletError` 401 if the account was deleted during the store call.
    public func submit(_ proof: PurchaseProof, naming named: String?, for caller: Caller) async throws -> Result {
        let verified = try await self.verifier.verify(proof, of: caller.user)
        try verified.requirePurchase(named: named)
        let outcomes = try await self.apply(verified, for: caller)
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        if let refusal = StoreSyncError.foreign(concerned.map(\.reason)) { throw refusal }
        return Result(verified: verified, outcomes: outcomes, concerned: concerned)
    }

    private func apply(_ verified: VerifiedPurchases, for caller: Caller) async throws -> [FactOutcome] {
        // A purchase that the store attests is applied even for a deleted account, so the caller is checked here first.
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
