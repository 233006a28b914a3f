/// An error of the sandbox stores.
public struct SandboxStoresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreadableState
            case unreadableKey
            case notRunning
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The state file exists, but cannot be read as the stores' state.
        public static let unreadableState = Code(wrapped: .unreadableState)
        /// A public key in the configuration does not have the required type.
        public static let unreadableKey = Code(wrapped: .unreadableKey)
        /// The stores stopped before they listened.
        public static let notRunning = Code(wrapped: .notRunning)
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The name of the code.
    public var description: String { "SandboxStoresError.\(self.code)" }
}
