/// An operator, and what this operator may do.
public struct OperatorIdentity: Sendable, Equatable {
    /// Who it is; the actor of what is changed.
    public let id: UserID
    /// What the operator may do.
    public let right: OperatorRight

    /// Names an operator.
    ///
    /// - Parameters:
    ///   - id: Who it is.
    ///   - right: What the operator may do.
    public init(id: UserID, right: OperatorRight) {
        self.id = id
        self.right = right
    }
}
