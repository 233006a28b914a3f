import Foundation
import Postgres

extension Wallet {
    /// Returns a user's current subscriptions, tier and entitlements.
    ///
    /// SQL: `views/subscriptions/subscription_states.sql`, `views/subscriptions/entitlements.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The overview; empty for an unknown user.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func subscriptions(
        of user: UserID,
        in environment: WalletEnvironment
    ) async throws -> SubscriptionOverview {
        let states = try await self.read(
            """
            SELECT s.* FROM wallet.subscription_states AS s
            INNER JOIN wallet.users AS u ON s.account_id = u.account_id
            WHERE u.user_id = \(user.rawValue) AND s.environment = \(environment.rawValue)::wallet.environment
            ORDER BY s.period_start DESC, s.subscription_id DESC
            """
        ) { row in
            let hasAccess: Bool = try row.decode("has_access")
            return (try Subscription(row: row, hasAccess: hasAccess, environment: environment), hasAccess)
        }
        let entitlements = try await self.read(
            """
            SELECT e.* FROM wallet.entitlements AS e INNER JOIN wallet.users AS u ON e.account_id = u.account_id
            WHERE u.user_id = \(user.rawValue) AND e.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in (try row.decode("entitlement", as: String.self), try Entitlement(row: row)) }
        return SubscriptionOverview(
            subscriptions: states.map(\.0),
            tier: states.filter(\.1).map(\.0.tier).max() ?? 0,
            entitlements: Dictionary(entitlements) { first, _ in first }
        )
    }

    /// Returns a user's current subscriptions and balance, in one statement.
    ///
    /// SQL: `views/ledger/balances.sql`, `views/subscriptions/subscription_states.sql`.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The subscriptions, the latest first, and the balance; both are empty for an unknown user.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func holdings(
        of user: UserID,
        in environment: WalletEnvironment
    ) async throws -> (subscriptions: [Subscription], balance: BalanceSummary) {
        let rows = try await self.read(
            """
            SELECT
                coalesce(b.credits, 0) AS credits, coalesce(b.visits, 0) AS visits, coalesce(b.version, 0) AS version, s.*
            FROM (
                SELECT (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)) AS account_id
            ) AS a
            LEFT JOIN wallet.balances AS b
                ON b.account_id = a.account_id AND b.environment = \(environment.rawValue)::wallet.environment
            LEFT JOIN wallet.subscription_states AS s
                ON s.account_id = a.account_id AND s.environment = \(environment.rawValue)::wallet.environment
            ORDER BY s.period_start DESC, s.subscription_id DESC
            """
        ) { row in
            let hasAccess: Bool? = try row.decode("has_access")
            return (
                try hasAccess.map { try Subscription(row: row, hasAccess: $0, environment: environment) },
                try BalanceSummary(row: row)
            )
        }
        guard let balance = rows.first?.1 else { throw WalletError(status: 500, slug: "internal-error") }
        return (rows.compactMap(\.0), balance)
    }
}

extension Subscription {
    fileprivate init(row: Row, hasAccess: Bool, environment: WalletEnvironment) throws {
        let status: String = try row.decode("status")
        self.init(
            store: try row.decode("store"),
            productID: try row.decode("product_id"),
            status: status,
            tier: Int(try row.decode("tier", as: Int32.self)),
            periodType: try row.decode("period_type"),
            currentPeriodStart: try row.decode("period_start"),
            currentPeriodEnd: try row.decode("period_end"),
            gracePeriodEndsAt: try row.decode("grace_ends_at"),
            // As in the entitlements: an ended subscription does not renew, even if the store last reported that it
            // would.
            willRenew: try row.decode("will_renew", as: Bool.self) && hasAccess,
            inTrial: status == "trial",
            environment: environment
        )
    }
}

extension Entitlement {
    fileprivate init(row: Row) throws {
        self.init(
            isActive: try row.decode("is_active"),
            expiresAt: try row.decode("expires_at"),
            inTrial: try row.decode("in_trial"),
            trialEndsAt: try row.decode("trial_ends_at"),
            inGracePeriod: try row.decode("in_grace_period"),
            willRenew: try row.decode("will_renew"),
            store: try row.decode("store"),
            productID: try row.decode("product_id")
        )
    }
}
