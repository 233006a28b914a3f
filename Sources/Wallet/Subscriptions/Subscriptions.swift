public import Foundation
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
        try await self.answer(SubscriptionOverview.self, to: UserRead(user: user, environment: environment))
    }

    /// Admits a caller and returns the caller's current subscriptions, tier and entitlements.
    ///
    /// SQL: `views/subscriptions/subscription_states.sql`, `views/subscriptions/entitlements.sql`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the subscriptions.
    ///   - environment: The environment of the caller's wallet.
    /// - Returns: The overview.
    /// - Throws: ``WalletError`` 401 `unauthenticated`, 503 when the database does not answer.
    public func subscriptions(
        of caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> SubscriptionOverview {
        let read = UserRead(user: caller.user, environment: environment)
        return try await self.answer(self.subscriptions, to: read, of: caller)
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

/// All subscriptions of an account, and the entitlements that they grant.
public struct SubscriptionOverview: Encodable, Sendable {
    /// The subscriptions, the newest period first.
    public var subscriptions: [Subscription]
    /// The highest tier of the active subscriptions; 0 for none.
    public var tier: Int
    /// The entitlements by name.
    public var entitlements: [String: Entitlement]
}

extension SubscriptionOverview: UserReadKind {
    static let columns = """
        s.*, e.entitlement, e.is_active, e.expires_at, e.in_trial, e.trial_ends_at, e.in_grace_period,
        e.will_renew AS entitlement_will_renew, e.store AS entitlement_store, e.product_id AS entitlement_product_id
        """

    static let joins = """
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.subscription_states AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment
            -- Keeps the planner from joining the accounts of a batch with everybody's subscriptions.
            OFFSET 0
        ) AS s ON TRUE
        LEFT JOIN LATERAL (
            SELECT o.* FROM wallet.entitlements AS o
            WHERE o.account_id = s.account_id AND o.environment = s.environment
            OFFSET 0
        ) AS e ON TRUE
        """

    static let order = "s.period_start DESC, s.subscription_id DESC"

    /// Decodes rows that contain each subscription with each entitlement.
    static func answer(_ rows: [Row], to read: UserRead) throws -> SubscriptionOverview {
        var overview = SubscriptionOverview(subscriptions: [], tier: 0, entitlements: [:])
        var last: Int64?
        for row in rows {
            guard let id = try row.decode("subscription_id", as: Int64?.self) else { continue }
            if let name = try row.decode("entitlement", as: String?.self), overview.entitlements[name] == nil {
                overview.entitlements[name] = try Entitlement(row: row)
            }
            guard id != last else { continue }
            last = id
            let hasAccess: Bool = try row.decode("has_access")
            let subscription = try Subscription(row: row, hasAccess: hasAccess, environment: read.environment)
            overview.subscriptions.append(subscription)
            if hasAccess { overview.tier = max(overview.tier, subscription.tier) }
        }
        return overview
    }
}

/// One subscription of an account, in the state that the store reported last.
public struct Subscription: Encodable, Sendable {
    /// The store that sold it.
    public var store: String
    /// The catalogue's product id of the current period.
    public var productID: String
    /// `trial`, `active`, `grace`, `billing_retry`, `paused`, `expired`, `refunded` or `revoked`.
    public var status: String
    /// The tier of its plan.
    public var tier: Int
    /// `normal`, `trial`, `intro`, `promotional` or `prepaid`.
    public var periodType: String
    /// The start of the current period.
    public var currentPeriodStart: Date
    /// The end of the current period.
    public var currentPeriodEnd: Date
    /// The end of the grace period, in which access continues although a renewal failed.
    @Nullable public var gracePeriodEndsAt: Date?
    /// A Boolean value that indicates whether the store will renew the subscription.
    public var willRenew: Bool
    /// A Boolean value that indicates whether the current period is a trial.
    public var inTrial: Bool
    /// The environment of the wallet that the subscription belongs to.
    public var environment: WalletEnvironment

    enum CodingKeys: String, CodingKey {
        case store
        case productID = "product_id"
        case status, tier
        case periodType = "period_type"
        case currentPeriodStart = "current_period_start"
        case currentPeriodEnd = "current_period_end"
        case gracePeriodEndsAt = "grace_period_ends_at"
        case willRenew = "will_renew"
        case inTrial = "in_trial"
        case environment
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

/// An entitlement of an account, with its end and the subscription that grants it.
public struct Entitlement: Encodable, Sendable {
    /// A Boolean value that indicates whether the entitlement is active now.
    public var isActive: Bool
    /// The end of the entitlement, unless the subscription is renewed.
    @Nullable public var expiresAt: Date?
    /// A Boolean value that indicates whether a trial grants the entitlement.
    public var inTrial: Bool
    /// The end of the trial.
    @Nullable public var trialEndsAt: Date?
    /// A Boolean value that indicates whether the entitlement is active only because of a grace period.
    public var inGracePeriod: Bool
    /// A Boolean value that indicates whether the store will renew the subscription.
    public var willRenew: Bool
    /// The store that sold the subscription.
    public var store: String
    /// The catalogue's product id of the subscription.
    public var productID: String

    enum CodingKeys: String, CodingKey {
        case isActive = "is_active"
        case expiresAt = "expires_at"
        case inTrial = "in_trial"
        case trialEndsAt = "trial_ends_at"
        case inGracePeriod = "in_grace_period"
        case willRenew = "will_renew"
        case store
        case productID = "product_id"
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
            willRenew: try row.decode("entitlement_will_renew"),
            store: try row.decode("entitlement_store"),
            productID: try row.decode("entitlement_product_id")
        )
    }
}
