/// An error that describes why the HTTP layer could not be set up or why a token was refused.
///
/// The description contains configuration names at most, never a token, a secret or user data.
public struct WalletAPIError: Error, Sendable, Equatable {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidConfiguration
            case unauthenticated
            case keysUnavailable
        }

        private let wrapped: Wrapped

        /// The configuration contradicts itself or is incomplete; the process should not start.
        public static let invalidConfiguration = Code(wrapped: .invalidConfiguration)
        /// The request has no token, or its token must be refused.
        public static let unauthenticated = Code(wrapped: .unauthenticated)
        /// The keys that verify the token could not be fetched; the token may be valid.
        public static let keysUnavailable = Code(wrapped: .keysUnavailable)

        /// The code's name.
        public var description: String { self.wrapped.rawValue }
    }

    /// The kind of error.
    public var code: Code
    /// The reason, in a sentence that may be shown to the caller.
    public var reason: String
    /// The number of seconds to wait before a retry, for ``Code/keysUnavailable``.
    public var retryAfter: Int?

    init(_ code: Code, _ reason: String, retryAfter: Int? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    static func refused(_ reason: String) -> WalletAPIError {
        WalletAPIError(.unauthenticated, reason)
    }

    static func configuration(_ reason: String) -> WalletAPIError {
        WalletAPIError(.invalidConfiguration, reason)
    }
}

extension WalletAPIError: CustomStringConvertible {
    /// The code and the reason.
    public var description: String { "\(self.code): \(self.reason)" }
}
