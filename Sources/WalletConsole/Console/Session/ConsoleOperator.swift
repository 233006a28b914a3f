public import Wallet

/// An operator who is signed in to the console.
public struct ConsoleOperator: Sendable, Codable, Equatable {
    /// The operator's id, which is recorded as the actor of changes.
    public let id: String
    /// The operator's name in the pages.
    public let name: String
    /// The operator's right.
    public let right: OperatorRight

    /// Creates an operator.
    ///
    /// - Parameters:
    ///   - id: The operator's id, which is recorded as the actor of changes.
    ///   - name: The operator's name in the pages.
    ///   - right: The operator's right.
    public init(id: String, name: String, right: OperatorRight) {
        self.id = id
        self.name = name
        self.right = right
    }
}
