/// Why there is no answer of the wallet to give.
public struct WalletClientError: Error, Sendable, Equatable, CustomStringConvertible {
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
        /// Whether the wallet did what was asked is unknown:
        /// ask again with the same ``BookingIntent``.
        public static let unreachable = Code(wrapped: .unreachable)
        /// The wallet answered what this version cannot read.
        public static let unreadableAnswer = Code(wrapped: .unreadableAnswer)
        /// The base URL is none.
        public static let invalidURL = Code(wrapped: .invalidURL)
    }

    /// What went wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The name of the code.
    public var description: String { "WalletClientError.\(self.code)" }
}
