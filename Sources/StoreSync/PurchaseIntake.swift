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

    private let wallet: Wallet
    private let verifier: PurchaseVerifier
    private let acknowledger: Acknowledger?

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

/// The reason why a submitted proof of purchase was refused, before or after the store call.
public struct StoreSyncError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of refusal.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case storeNotEnabled, rateLimited, proofRequired, noPurchaseFound, alreadyClaimed, mismatch
        }

        private let value: Value

        /// The store that issued the proof is not enabled.
        public static let storeNotEnabled = Self(value: .storeNotEnabled)
        /// The user exceeded the quota of store calls.
        public static let rateLimited = Self(value: .rateLimited)
        /// A bare transaction id identifies no purchase of the user.
        public static let proofRequired = Self(value: .proofRequired)
        /// The proof contains no purchase, or not the requested one.
        public static let noPurchaseFound = Self(value: .noPurchaseFound)
        /// All of its purchases were credited to another account.
        public static let transactionAlreadyClaimed = Self(value: .alreadyClaimed)
        /// All of its purchases were made for another account.
        public static let accountTokenMismatch = Self(value: .mismatch)
    }

    /// The kind of refusal.
    public let code: Code
    /// The name of the feature that is not enabled, such as "Google Play purchases"; nil for other codes.
    public let subject: String?

    init(_ code: Code, subject: String? = nil) {
        self.code = code
        self.subject = subject
    }

    /// The code and the subject, without data from the user.
    public var description: String { "StoreSyncError(\(self.code), \(self.subject ?? "-"))" }

    /// Returns the refusal of a submission in which every purchase belongs to another account.
    ///
    /// A purchase that was already claimed takes precedence over one whose account token names another account.
    ///
    /// - Parameter reasons: The reason why each purchase granted nothing; nil for one that did.
    /// - Returns: The refusal; nil if any purchase is the user's or the submission is empty.
    public static func foreign(_ reasons: [String?]) -> StoreSyncError? {
        let known: Set = ["transaction-already-claimed", "account-token-mismatch"]
        guard !reasons.isEmpty, reasons.allSatisfy({ $0.map(known.contains) ?? false }) else { return nil }
        return StoreSyncError(
            reasons.contains("transaction-already-claimed") ? .transactionAlreadyClaimed : .accountTokenMismatch
        )
    }
}
