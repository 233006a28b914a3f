import Hummingbird
import StoreSync
import Stores
import Wallet

/// Takes proofs of purchase in: has them verified, and lets the wallet decide each transaction.
struct Redemption {
    /// What a proof proved and what became of it.
    struct Result: Sendable {
        let proven: ProvenPurchases
        let outcomes: [FactOutcome]
        /// Those of the transaction that was named; all where none was.
        let concerned: [FactOutcome]
    }

    let wallet: Wallet
    let desk: ProofDesk
    let acknowledger: Acknowledger?

    /// Redeems a proof; what is decided stays decided if a later transaction fails.
    ///
    /// - Parameters:
    ///   - proof: What the caller sent.
    ///   - named: The transaction that must be in it.
    ///   - caller: Who sent it.
    /// - Returns: What became of each transaction.
    /// - Throws: ``Problem`` 422 `no-purchase-found`; 403 or 409 where what it is about, or all of it, is another's;
    ///   `WalletError` 401 where the caller has deleted the account while the store was asked.
    func redeem(_ proof: ReceiptSubmission.Proof, naming named: String?, for caller: Caller) async throws -> Result {
        let proven = try await self.desk.verify(proof, of: caller.user)
        try proven.requirePurchase(named: named)
        let outcomes = try await self.apply(proven, for: caller)
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        if !concerned.isEmpty, concerned.allSatisfy(\.isForeign) {
            throw Problem.foreignPurchase(concerned.compactMap(\.reason))
        }
        return Result(proven: proven, outcomes: outcomes, concerned: concerned)
    }

    private func apply(_ proven: ProvenPurchases, for caller: Caller) async throws -> [FactOutcome] {
        var outcomes: [FactOutcome] = []
        // What is told of a user opens no deleted account, and yet is applied; it has no caller to refuse.
        if proven.isTold { try await self.wallet.admit(caller) }
        for fact in proven.facts {
            outcomes.append(
                proven.isTold
                    ? try await self.wallet.apply(StoreEvent.Statement(fact: fact, owners: [caller.user.rawValue]))
                    : try await self.wallet.apply(fact, submittedBy: caller)
            )
        }
        if proven.facts.contains(where: { $0.needsAcknowledgement == true }) {
            self.acknowledger?.begin(limit: 5)
        }
        return outcomes
    }
}
