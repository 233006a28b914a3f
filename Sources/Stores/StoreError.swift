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
        /// Signed data is not of the form that the store signs: parts, header, algorithm, or the number of certificates.
        public static let malformedSignedData = Code(wrapped: .malformedSignedData)
        /// The certificates do not lead to a pinned root by the store's rules, or have been revoked.
        public static let invalidCertificate = Code(wrapped: .invalidCertificate)
        /// The signature is not the certificate's.
        public static let invalidSignature = Code(wrapped: .invalidSignature)
        /// Signed data is of another side of the store than what it came with.
        public static let wrongEnvironment = Code(wrapped: .wrongEnvironment)
        /// The data was signed by a development tool, not by the store.
        public static let testSignature = Code(wrapped: .testSignature)
        /// The data is the store's own, but says something that cannot be read.
        public static let unreadable = Code(wrapped: .unreadable)
        /// The store knows no such purchase.
        public static let notFound = Code(wrapped: .notFound)
        /// A message does not prove that the store sent it.
        public static let unauthenticated = Code(wrapped: .unauthenticated)
        /// The store wants fewer calls for a while.
        public static let rateLimited = Code(wrapped: .rateLimited)
    }

    /// What is wrong.
    public let code: Code
    /// The store's own status code, where it gave one.
    public let storeStatus: Int?
    /// After how many seconds to try again, where trying again may help.
    public let retryAfter: Int?
    /// Whether the store was left alone, since it is down or wants fewer calls: nothing was tried.
    public let isUnasked: Bool

    init(_ code: Code, storeStatus: Int? = nil, retryAfter: Int? = nil, isUnasked: Bool = false) {
        self.code = code
        self.storeStatus = storeStatus
        self.retryAfter = retryAfter
        self.isUnasked = isUnasked
    }

    /// The error with the status of an earlier attempt, where its own attempt brought none.
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
