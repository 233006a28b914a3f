import Foundation
import Postgres

extension Wallet {
    /// Carries out an operator's action, once per key, or reports its changes in a dry run.
    ///
    /// SQL: `functions/operations/operator_act.sql`.
    ///
    /// - Parameters:
    ///   - name: The name of the action.
    ///   - action: The object of the action, and the reason.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key, 1 to 200 characters, which is the reference in the audit; `nil` for
    ///     none.
    ///   - environment: The environment of the user's wallet.
    ///   - dryRun: A Boolean value that indicates whether to undo the action after its changes are known.
    ///   - shown: The preview from a dry run; if anything differs from it, nothing is done. `nil` acts on any state.
    /// - Returns: The changes.
    /// - Throws: ``WalletError`` 400 `malformed-request` if a member is missing, 403 `right-missing`, 404
    ///   `user-not-found`, `booking-not-found`, `purchase-not-found`, `flag-not-found` or `event-not-found`, 409
    ///   `not-cancellable`, `nothing-to-waive`, `owner-deleted`, `event-already-processed` or `reference-reused`, 412
    ///   `preview-outdated`, 422 `resolution-not-possible`, 503 `wallet-busy`, or when the database does not answer.
    public func act(
        _ name: OperatorAction.Name,
        _ action: OperatorAction,
        by actor: OperatorIdentity,
        key: String?,
        in environment: WalletEnvironment,
        dryRun: Bool,
        shown: String? = nil
    ) async throws -> OperatorActionAnswer {
        var target = action.target
        target.environment = environment
        let answers = try await self.query(
            """
            SELECT a.audit_id, a.replayed, a.before, a.after, a.preview FROM wallet.operator_act(
                \(name.rawValue), \(json: target), \(actor.id.rawValue), \(action.reason), \(key), \(dryRun),
                \(actor.right.rawValue)::wallet.operator_right, \(shown)
            ) AS a
            """
        ) { row in
            OperatorActionAnswer(
                auditID: try row.decode("audit_id"),
                dryRun: dryRun,
                before: try row.decodeJSON("before"),
                after: try row.decodeJSON("after"),
                preview: dryRun ? try row.decode("preview") : nil,
                replayed: try row.decode("replayed")
            )
        }
        guard let answer = answers.first else { throw WalletError(status: 500, slug: "internal-error") }
        return answer
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
        _ = try await self.query(
            """
            SELECT wallet.record_reconciliation(
                \(actor?.id.rawValue), \(user?.rawValue), \(Int32(clamping: repaired))
            )::text AS done
            """
        ) { _ in }
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
        _ = try await self.query(
            """
            SELECT wallet.record_access(
                \(actor.id.rawValue), \(access.kind.rawValue), \(access.route), \(access.user?.rawValue),
                \(access.environment?.rawValue)::wallet.environment, \(json: access.details)
            )::text AS done
            """
        ) { _ in }
    }

    /// Throws if the operator lacks the role that an action requires.
    ///
    /// SQL: `functions/instance/actions.sql`.
    ///
    /// - Parameters:
    ///   - actor: The operator.
    ///   - action: The action's name in `wallet.action_rights`.
    /// - Throws: ``WalletError`` 403 `right-missing`, 503 when the database does not answer.
    public func check(_ actor: OperatorIdentity, may action: String) async throws {
        _ = try await self.query(
            "SELECT wallet.check_right(\(action), \(actor.right.rawValue)::wallet.operator_right)::text AS done"
        ) { _ in }
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
}
