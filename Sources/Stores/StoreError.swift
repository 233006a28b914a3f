/// The reason why a store's proof could not be converted to facts.
///
/// The description contains only the code and the store's status: never the proof, the user or the store's answer.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error, which determines the service's response.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case malformedReceipt
            case unsignedTransaction
            case rejected
            case wrongApp
            case unavailable
            case misconfigured
            case notPermitted
            case malformedSignedData
            case invalidCertificate
            case invalidSignature
            case wrongEnvironment
            case testSignature
            case unreadable
            case notFound
            case unauthenticated
            case rateLimited
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The input is not a receipt: empty, too large, or not base64.
        public static let malformedReceipt = Code(wrapped: .malformedReceipt)
        /// The input is a transaction's plain JSON; without a signature it proves nothing.
        public static let unsignedTransaction = Code(wrapped: .unsignedTransaction)
        /// The store does not confirm the receipt; retrying does not help.
        public static let rejected = Code(wrapped: .rejected)
        /// The store confirms the receipt, but it belongs to another app.
        public static let wrongApp = Code(wrapped: .wrongApp)
        /// The store could not be reached, or gave no usable answer; retrying later may help.
        public static let unavailable = Code(wrapped: .unavailable)
        /// The store refuses our request or secret, which is the operator's error and never the user's.
        public static let misconfigured = Code(wrapped: .misconfigured)
        /// The caller was not permitted a store call, and there is no cached answer.
        public static let notPermitted = Code(wrapped: .notPermitted)
        /// Signed data does not have the store's form: parts, header, algorithm, or the number of certificates.
        public static let malformedSignedData = Code(wrapped: .malformedSignedData)
        /// The certificates do not lead to a pinned root by the store's rules, or were revoked.
        public static let invalidCertificate = Code(wrapped: .invalidCertificate)
        /// The signature does not match the certificate.
        public static let invalidSignature = Code(wrapped: .invalidSignature)
        /// Signed data is from a store environment that is unknown or not accepted.
        public static let wrongEnvironment = Code(wrapped: .wrongEnvironment)
        /// The data was signed by a development tool, not by the store.
        public static let testSignature = Code(wrapped: .testSignature)
        /// The store signed or sent the data, but a value in it cannot be read.
        public static let unreadable = Code(wrapped: .unreadable)
        /// The store does not find the purchase.
        public static let notFound = Code(wrapped: .notFound)
        /// The message does not prove that the store sent it.
        public static let unauthenticated = Code(wrapped: .unauthenticated)
        /// The store requests fewer calls for a while.
        public static let rateLimited = Code(wrapped: .rateLimited)
    }

    /// The kind of error.
    public let code: Code
    /// The store's own status code, if it sent one.
    public let storeStatus: Int?
    /// The number of seconds before a retry, if retrying may help.
    public let retryAfter: Int?
    /// A Boolean value that indicates whether the store was not called, because it is down or requests fewer calls.
    public let isUnasked: Bool

    init(_ code: Code, storeStatus: Int? = nil, retryAfter: Int? = nil, isUnasked: Bool = false) {
        self.code = code
        self.storeStatus = storeStatus
        self.retryAfter = retryAfter
        self.isUnasked = isUnasked
    }

    /// Returns the error with the status of an earlier attempt if its own attempt has none.
    func withStatus(of earlier: StoreError) -> StoreError {
        StoreError(
            self.code,
            storeStatus: self.storeStatus ?? earlier.storeStatus,
            retryAfter: self.retryAfter,
            isUnasked: self.isUnasked
        )
    }

    /// The code and the store's status.
    public var description: String {
        guard let storeStatus else { return "StoreError.\(self.code)" }
        return "StoreError.\(self.code) (store status \(storeStatus))"
    }
}
