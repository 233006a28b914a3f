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
