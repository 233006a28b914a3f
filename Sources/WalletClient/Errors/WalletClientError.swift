public import Foundation

/// Why there is no answer of the wallet to give.
public struct WalletClientError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreachable
            case unreadableAnswer
            case invalidURL
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The connection failed or was lost, and so did the retries.
        ///
        /// Whether the wallet did what was asked is unknown: ask again with the same ``BookingIntent``.
        public static let unreachable = Code(wrapped: .unreachable)
        /// The wallet answered what this version cannot read.
        public static let unreadableAnswer = Code(wrapped: .unreadableAnswer)
        /// The base URL is none.
        public static let invalidURL = Code(wrapped: .invalidURL)
    }

    /// What went wrong.
    public let code: Code
    /// What the system gave as the cause: a `URLError` for ``Code/unreachable``, a `DecodingError` for
    /// ``Code/unreadableAnswer``; nil where there is none.
    public let underlyingError: (any Error)?

    /// Creates an error, for previews and tests.
    public init(_ code: Code, underlyingError: (any Error)? = nil) {
        self.code = code
        self.underlyingError = underlyingError
    }

    /// The name of the code.
    public var description: String { "WalletClientError.\(self.code)" }

    /// What went wrong, as a sentence for the user, in English.
    public var errorDescription: String? {
        switch self.code {
        case .unreachable: "The wallet cannot be reached."
        case .unreadableAnswer: "The wallet gave an answer that this version of the app cannot read."
        default: "The address of the wallet is not valid."
        }
    }

    /// What the user may do about it, as a sentence in English.
    public var recoverySuggestion: String? {
        switch self.code {
        case .unreachable: "Check the connection and try again."
        case .unreadableAnswer: "Update the app and try again."
        default: nil
        }
    }

    /// Compares the codes; what the system gave as the cause does not count.
    /// - Parameters:
    ///   - left: an error.
    ///   - right: another one.
    /// - Returns: whether both have the same code.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code
    }
}
