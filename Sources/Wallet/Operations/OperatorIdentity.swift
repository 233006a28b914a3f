public import Foundation
public import JSON
package import Logging
import Postgres

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

extension Wallet {
    /// Throws if the operator lacks the role that an action requires.
    ///
    /// SQL: `functions/instance/actions.sql`.
    ///
    /// - Parameters:
    ///   - actor: The operator.
    ///   - action: The action's name in `wallet.action_rights`.
    /// - Throws: ``WalletError`` 403 `right-missing`, 503 when the database does not answer.
    public func check(_ actor: OperatorIdentity, may action: String) async throws {
        try await self.execute(
            "SELECT wallet.check_right(\(action), \(actor.right.rawValue)::wallet.operator_right)::text AS done"
        )
    }

    /// Records an operator's call that changed nothing.
    ///
    /// SQL: `functions/operations/access.sql`.
    ///
    /// - Parameters:
    ///   - access: The call.
    ///   - actor: The operator.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func record(_ access: OperatorAccess, by actor: OperatorIdentity) async throws {
        try await self.execute(
            """
            SELECT wallet.record_access(
                \(actor.id.rawValue), \(access.kind.rawValue), \(access.route), \(access.user?.rawValue),
                \(access.environment?.rawValue)::wallet.environment, \(json: access.details)
            )::text AS done
            """
        )
    }

    /// Logs and records a refused change, or a call whose operator lacks the required role; ignores other errors.
    ///
    /// - Parameters:
    ///   - slug: The slug of the refusal.
    ///   - status: The refusal's HTTP status.
    ///   - route: The route of the call, below `/operator/`.
    ///   - isChange: A Boolean value that indicates whether the call changes data: it is no read and no dry run.
    ///   - actor: The operator.
    ///   - logger: The logger.
    package func recordRefusal(
        _ slug: String,
        status: Int,
        of route: String,
        isChange: Bool,
        by actor: OperatorIdentity,
        logger: Logger
    ) async {
        guard status == 403 || (isChange && (400..<500).contains(status)) else { return }
        logger.info(
            "a request of an operator was refused",
            metadata: ["operator": "\(actor.id.rawValue)", "problem": "\(slug)", "status": "\(status)"]
        )
        do {
            try await self.record(OperatorAccess(.refused, route, details: ["problem": .text(slug)]), by: actor)
        } catch {
            logger.error("a refused request of an operator could not be recorded", metadata: ["error": "\(error)"])
        }
    }

    /// Records that an operator compared the books with the stores, if the comparison repaired something.
    ///
    /// SQL: `functions/operations/access.sql`.
    ///
    /// - Parameters:
    ///   - repaired: The number of repaired differences.
    ///   - user: The user whose purchases were compared; `nil` for all users.
    ///   - actor: The operator; `nil` for the person who runs the command.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func recordReconciliation(
        repairing repaired: Int,
        of user: UserID?,
        by actor: OperatorIdentity?
    ) async throws {
        guard repaired > 0 else { return }
        try await self.execute(
            """
            SELECT wallet.record_reconciliation(
                \(actor?.id.rawValue), \(user?.rawValue), \(Int32(clamping: repaired))
            )::text AS done
            """
        )
    }

    /// Ends a session of the operators' console on every instance of the service.
    ///
    /// SQL: `functions/instance/sessions.sql`.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the session's id.
    ///   - end: The time at which the session would expire.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func endSession(_ digest: Data, until end: Date) async throws {
        try await self.execute("SELECT wallet.end_session(\(digest), \(end))::text AS done")
    }

    /// Returns whether a session of the operators' console was signed out.
    ///
    /// SQL: `functions/instance/sessions.sql`.
    ///
    /// - Parameter digest: The SHA-256 of the session's id.
    /// - Returns: A Boolean value that indicates whether the session was signed out.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func isSessionEnded(_ digest: Data) async throws -> Bool {
        try await self.ask("SELECT wallet.is_session_ended(\(digest)) AS ended") { row in
            try row.decode("ended", as: Bool.self)
        }.contains(true)
    }
}

/// A call of an operator that changed nothing, for the audit.
public struct OperatorAccess: Sendable {
    /// The kind of call.
    public enum Kind: String, Sendable {
        /// A read of a user's data.
        case readUser = "read-user"
        /// An export of a list to a file.
        case export
        /// A refused change.
        case refused
    }

    let kind: Kind
    let route: String
    let user: UserID?
    let environment: WalletEnvironment?
    let details: [String: JSONValue]

    /// Creates the description of a call.
    ///
    /// - Parameters:
    ///   - kind: The kind of call.
    ///   - route: The route of the call, below `/operator/`.
    ///   - user: The user whose data the call concerned; `nil` for none.
    ///   - environment: The environment of the user's wallet; `nil` for both or none.
    ///   - details: Further details, without anything that identifies a user.
    public init(
        _ kind: Kind,
        _ route: String,
        of user: UserID? = nil,
        in environment: WalletEnvironment? = nil,
        details: [String: JSONValue] = [:]
    ) {
        self.kind = kind
        self.route = route
        self.user = user
        self.environment = environment
        self.details = details
    }

    /// Creates the description of a successful read; nil if it exports nothing and concerns no user.
    ///
    /// - Parameters:
    ///   - route: The route of the call, below `/operator/`.
    ///   - user: The user whose data was read; nil for none.
    ///   - environment: The environment of the user's wallet; nil for both or none.
    ///   - filters: The names of the filters of an export; nil for a read that exports nothing.
    package init?(
        reading route: String,
        of user: UserID?,
        in environment: WalletEnvironment?,
        exporting filters: Set<String>? = nil
    ) {
        if let filters {
            let details: [String: JSONValue] = ["filters": .array(filters.sorted().map { .text($0) })]
            self.init(.export, route, of: user, in: environment, details: details)
        } else if let user {
            self.init(.readUser, route, of: user, in: environment)
        } else {
            return nil
        }
    }
}
