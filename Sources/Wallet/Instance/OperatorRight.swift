/// The role of an operator; each role includes the roles before it.
///
/// SQL: the type `wallet.operator_right`. The view `wallet.action_rights` lists the role that each action requires.
public enum OperatorRight: String, Sendable, CaseIterable, Comparable, Codable {
    /// Reads everything and changes nothing.
    case viewer
    /// Helps users without moving money.
    case support
    /// Moves money, up to the maximum amount of one call.
    case `operator`
    /// Also maintains the catalogue and releases purchases.
    case admin

    /// Returns whether the first role is lower than the second.
    ///
    /// - Parameters:
    ///   - left: A role.
    ///   - right: Another role.
    /// - Returns: A Boolean value that indicates whether the second role includes the first and more.
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
