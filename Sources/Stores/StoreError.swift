/// Why a store's proof could not be turned into facts.
///
/// The description names the code only: never the proof, the person or what the store answered.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and so what to answer.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case malformedReceipt
            case unsignedTransaction
            case rejected
            case wrongApp
            case unavailable
            case misconfigured
            case notPermitted
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The input is no receipt: empty, too large, or not base64.
        public static let malformedReceipt = Code(wrapped: .malformedReceipt)
        /// The input is a transaction's plain JSON, which nobody signed and so proves nothing.
        public static let unsignedTransaction = Code(wrapped: .unsignedTransaction)
        /// The store does not stand by the receipt; trying again will not help.
        public static let rejected = Code(wrapped: .rejected)
        /// The store stands by the receipt, but it is another app's.
        public static let wrongApp = Code(wrapped: .wrongApp)
        /// The store could not be asked, or gave no usable answer; trying again later may help.
        public static let unavailable = Code(wrapped: .unavailable)
        /// The store refuses our own request or secret: the operator's fault and never the user's.
        public static let misconfigured = Code(wrapped: .misconfigured)
        /// The caller was not permitted to have the store asked, and nothing is known without asking.
        public static let notPermitted = Code(wrapped: .notPermitted)
    }

    /// What is wrong.
    public let code: Code
    /// The store's own status code, where it gave one.
    public let storeStatus: Int?
    /// After how many seconds to try again, where trying again may help.
    public let retryAfter: Int?

    init(_ code: Code, storeStatus: Int? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.storeStatus = storeStatus
        self.retryAfter = retryAfter
    }

    /// The code and the store's status.
    public var description: String {
        guard let storeStatus else { return "StoreError.\(self.code)" }
        return "StoreError.\(self.code) (store status \(storeStatus))"
    }
}
