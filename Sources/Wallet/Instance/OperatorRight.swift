/// What an operator may do; each right includes those before it.
///
/// SQL: the type `wallet.operator_right`. The view `wallet.action_rights` says which action needs which.
public enum OperatorRight: String, Sendable, CaseIterable, Comparable, Codable {
    /// Reads everything, changes nothing.
    case viewer
    /// Helps users without moving money.
    case support
    /// Moves money, up to the largest amount of one call.
    case `operator`
    /// Also keeps the catalogue and releases purchases.
    case admin

    /// Returns whether the first right includes less than the second.
    ///
    /// - Parameters:
    ///   - left: A right.
    ///   - right: Another.
    /// - Returns: Whether the other includes it and more.
    public static func < (left: Self, right: Self) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .operator: 2
        case .admin: 3
        }
    }
}
