/// Why the sandbox stores cannot do their work.
public struct SandboxStoresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreadableState
            case unreadableKey
            case notRunning
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The state file is there but is not one of these stores'.
        public static let unreadableState = Code(wrapped: .unreadableState)
        /// A public key in the configuration is no key of its kind.
        public static let unreadableKey = Code(wrapped: .unreadableKey)
        /// The stores stopped before they listened.
        public static let notRunning = Code(wrapped: .notRunning)
    }

    /// What is wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The name of the code.
    public var description: String { "SandboxStoresError.\(self.code)" }
}
