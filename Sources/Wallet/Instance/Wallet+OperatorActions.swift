import Foundation
import Postgres

extension Wallet {
    /// Carries out an action of an operator, once for its key, or says what it would do.
    ///
    /// SQL: `functions/instance/operator_act.sql`.
    ///
    /// - Parameters:
    ///   - name: What is to be done.
    ///   - action: To what, and why.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key, 1 to 200 characters; it is the reference in the audit. Nil for none.
    ///   - environment: Which of the user's wallets.
    ///   - dryRun: Whether to undo it once its answer is known.
    ///   - shown: The preview that a dry run answered: nothing is done if anything differs from it. Nil to act whatever
    ///     is there.
    /// - Returns: What changed.
    /// - Throws: ``WalletError`` 400 `malformed-request` where a member is missing, 403 `right-missing`, 404
    ///   `user-not-found`, `booking-not-found`, `purchase-not-found`, `flag-not-found` or `event-not-found`, 409 `not-cancellable`,
    ///   `nothing-to-waive`, `owner-deleted`, `event-already-processed` or `reference-reused`, 412 `preview-outdated`, 422
    ///   `resolution-not-possible`, 503 `wallet-busy`, or when the database does not answer.
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

    /// Writes down that somebody compared the books with the stores, where that repaired something.
    ///
    /// SQL: `functions/instance/record_reconciliation.sql`.
    ///
    /// - Parameters:
    ///   - repaired: How many differences were repaired.
    ///   - user: Whose purchases were compared; nil for everybody's.
    ///   - actor: The operator; nil for who runs the command.
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

    /// Writes down a call of an operator that changed nothing.
    ///
    /// SQL: `functions/instance/record_access.sql`.
    ///
    /// - Parameters:
    ///   - access: What the call was.
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

    /// Refuses an action of an operator who has not the right that it needs.
    ///
    /// SQL: `functions/instance/check_right.sql`.
    ///
    /// - Parameters:
    ///   - actor: The operator.
    ///   - action: The action, as `wallet.action_rights` names it.
    /// - Throws: ``WalletError`` 403 `right-missing`, 503 when the database does not answer.
    public func check(_ actor: OperatorIdentity, may action: String) async throws {
        _ = try await self.query(
            "SELECT wallet.check_right(\(action), \(actor.right.rawValue)::wallet.operator_right)::text AS done"
        ) { _ in }
    }
}

/// A call of an operator that changed nothing, for the audit.
public struct OperatorAccess: Sendable {
    /// What kind of call it was.
    public enum Kind: String, Sendable {
        /// What a user has was read.
        case readUser = "read-user"
        /// A list was taken away as a file.
        case export
        /// A change was refused.
        case refused
    }

    let kind: Kind
    let route: String
    let user: UserID?
    let environment: WalletEnvironment?
    let details: [String: JSONValue]

    /// Describes a call.
    ///
    /// - Parameters:
    ///   - kind: What kind of call it was.
    ///   - route: What was called, below `/operator/`.
    ///   - user: Whose data it was about; nil for nobody's.
    ///   - environment: Which of the user's wallets; nil for both, or none.
    ///   - details: What else there is to say, without anything that names a user.
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
