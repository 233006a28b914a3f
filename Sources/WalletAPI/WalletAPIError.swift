/// Returns why the HTTP layer could not be set up, or why a token was not accepted.
///
/// The description carries configuration names at most, never a token, a secret or a user's data.
public struct WalletAPIError: Error, Sendable, Equatable {
    /// Names what went wrong.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidConfiguration
            case unauthenticated
            case keysUnavailable
        }

        private let wrapped: Wrapped

        /// The configuration contradicts itself or lacks something; the process should not start.
        public static let invalidConfiguration = Code(wrapped: .invalidConfiguration)
        /// The request carries no token, or one that must not be accepted.
        public static let unauthenticated = Code(wrapped: .unauthenticated)
        /// The keys to check a token with could not be fetched; the token may be good.
        public static let keysUnavailable = Code(wrapped: .keysUnavailable)

        /// The code's name.
        public var description: String { self.wrapped.rawValue }
    }

    /// What went wrong.
    public var code: Code
    /// Why, in a sentence that may be shown to the caller.
    public var reason: String
    /// Seconds after which another attempt makes sense, for ``Code/keysUnavailable``.
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
