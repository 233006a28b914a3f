/// An operator and the operator's role.
public struct OperatorIdentity: Sendable, Equatable {
    /// The operator's user id, recorded as the actor of changes.
    public let id: UserID
    /// The operator's role.
    public let right: OperatorRight

    /// Creates an operator.
    ///
    /// - Parameters:
    ///   - id: The operator's user id.
    ///   - right: The operator's role.
    public init(id: UserID, right: OperatorRight) {
        self.id = id
        self.right = right
    }
}
