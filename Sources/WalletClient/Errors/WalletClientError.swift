public import Foundation

/// An error that the client throws if it has no readable response of the wallet.
public struct WalletClientError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreachable
            case unreadableAnswer
            case invalidURL
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The connection failed or was lost, and the retries failed too.
        ///
        /// The wallet may or may not have carried out the request. To find out, send a booking again with the same
        /// ``BookingIntent``.
        public static let unreachable = Code(wrapped: .unreachable)
        /// The response has a format that this version cannot read.
        public static let unreadableAnswer = Code(wrapped: .unreadableAnswer)
        /// The base URL is not a valid HTTP address.
        public static let invalidURL = Code(wrapped: .invalidURL)
    }

    /// The kind of the error.
    public let code: Code
    /// The system's error: a `URLError` for ``Code/unreachable``, a `DecodingError` for ``Code/unreadableAnswer``; nil
    /// otherwise.
    public let underlyingError: (any Error)?

    /// Creates an error, for previews and tests.
    public init(_ code: Code, underlyingError: (any Error)? = nil) {
        self.code = code
        self.underlyingError = underlyingError
    }

    /// The name of the code.
    public var description: String { "WalletClientError.\(self.code)" }

    /// The message for the user, a sentence in English.
    public var errorDescription: String? {
        switch self.code {
        case .unreachable: "The wallet cannot be reached."
        case .unreadableAnswer: "This version of the app cannot read the wallet's response."
        default: "The wallet's address is not valid."
        }
    }

    /// A suggestion for the user, a sentence in English; nil if the user can do nothing.
    public var recoverySuggestion: String? {
        switch self.code {
        case .unreachable: "Check the connection and try again."
        case .unreadableAnswer: "Update the app and try again."
        default: nil
        }
    }

    /// Compares the codes and ignores the underlying errors.
    /// - Parameters:
    ///   - left: An error.
    ///   - right: Another error.
    /// - Returns: A Boolean value that indicates whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code
    }
}
