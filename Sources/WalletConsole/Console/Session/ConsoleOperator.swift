public import Wallet

/// Who has signed in to the console.
public struct ConsoleOperator: Sendable, Codable, Equatable {
    /// Who it is; the actor of what is changed.
    public let id: String
    /// How the pages call the operator.
    public let name: String
    /// What the operator may do.
    public let right: OperatorRight

    /// Names an operator.
    ///
    /// - Parameters:
    ///   - id: Who it is.
    ///   - name: How the pages call the operator.
    ///   - right: What the operator may do.
    public init(id: String, name: String, right: OperatorRight) {
        self.id = id
        self.name = name
        self.right = right
    }
}
