/// Why a submitted proof of purchase was refused before or after the store was asked.
public struct StoreSyncError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of refusal.
    public struct Code: Sendable, Hashable {
        private enum Value {
            case storeNotEnabled, rateLimited, proofRequired, noPurchaseFound, alreadyClaimed, mismatch
        }

        private let value: Value

        /// This service has no client of the store that the proof is of.
        public static let storeNotEnabled = Self(value: .storeNotEnabled)
        /// The user has had the stores asked too often.
        public static let rateLimited = Self(value: .rateLimited)
        /// A bare transaction id names a purchase that is not the user's.
        public static let proofRequired = Self(value: .proofRequired)
        /// The proof holds no purchase, or not the one that it was sent for.
        public static let noPurchaseFound = Self(value: .noPurchaseFound)
        /// All of it has been credited to another account.
        public static let transactionAlreadyClaimed = Self(value: .alreadyClaimed)
        /// All of it was made for another account.
        public static let accountTokenMismatch = Self(value: .mismatch)
    }

    /// The kind of refusal.
    public let code: Code
    /// What is not enabled, such as "Google Play purchases"; nil for other codes.
    public let subject: String?

    init(_ code: Code, subject: String? = nil) {
        self.code = code
        self.subject = subject
    }

    /// Names the code, and nothing that a user sent.
    public var description: String { "StoreSyncError(\(self.code), \(self.subject ?? "-"))" }

    /// Refuses a submission of which everything is another account's; a purchase that has an owner weighs more than one
    /// whose token names one.
    ///
    /// - Parameter reasons: Why each purchase gave nothing; nil for one that did.
    /// - Returns: The refusal; nil where something is the user's, or there is nothing.
    public static func foreign(_ reasons: [String?]) -> StoreSyncError? {
        let known: Set = ["transaction-already-claimed", "account-token-mismatch"]
        guard !reasons.isEmpty, reasons.allSatisfy({ $0.map(known.contains) ?? false }) else { return nil }
        return StoreSyncError(
            reasons.contains("transaction-already-claimed") ? .transactionAlreadyClaimed : .accountTokenMismatch
        )
    }
}
