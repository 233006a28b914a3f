extension OperatorList {
    /// A user's grants and their use, newest first.
    public static let lots = OperatorList(
        "lots",
        from: "admin.lots",
        by: [Key("v.created_at", "timestamptz"), Key("v.lot_id", "uuid")],
        filters: [Filter("user_id", "account_id", .user, isRequired: true), .environment],
        [
            OperatorColumn("lot_id", .text), OperatorColumn("environment", .text), OperatorColumn("unit", .text),
            OperatorColumn("source", .text), OperatorColumn("product_id", .text),
            OperatorColumn("transaction_id", .text), OperatorColumn("granted", .integer),
            OperatorColumn("remaining", .integer), OperatorColumn("spent", .integer),
            OperatorColumn("lapsed", .integer), OperatorColumn("refunded", .integer),
            OperatorColumn("owed", .integer), OperatorColumn("repaid", .integer),
            OperatorColumn("expires_at", .instant), OperatorColumn("released", .flag),
            OperatorColumn("created_at", .instant),
        ]
    )

    /// Store transactions, with their remaining grants and their releases, newest first.
    public static let claims = OperatorList(
        "claims",
        from: "admin.purchases",
        by: [Key("v.claim_id", "bigint")],
        filters: [Filter("user_id", "account_id", .user), Filter("store", nil, .oneOf(["app_store", "play_store"]))],
        [
            OperatorColumn("claim_id", .integer), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("transaction_id", .text), OperatorColumn("product_id", .text),
            OperatorColumn("purchased_at", .instant), OperatorColumn("status", .text),
            OperatorColumn("quantity", .integer), OperatorColumn("unit", .text),
            OperatorColumn("granted", .integer), OperatorColumn("remaining", .integer),
            OperatorColumn("owed", .integer), OperatorColumn("refunded_millionths", .integer),
            OperatorColumn("released", .flag), OperatorColumn("used_by", .json),
        ]
    )

    /// All subscriptions, newest first.
    public static let allSubscriptions = OperatorList(
        "all_subscriptions",
        from: "admin.subscriptions",
        by: [Key("v.subscription_id", "bigint")],
        filters: [
            Filter("user_id", "account_id", .user), .environment,
            Filter("store", nil, .oneOf(["app_store", "play_store"])), Filter("product_id"),
            Filter(
                "status",
                nil,
                .oneOf(["trial", "active", "grace", "paused", "billing_retry", "expired", "refunded", "revoked"])
            ),
        ],
        [
            OperatorColumn("subscription_id", .integer), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("product_id", .text), OperatorColumn("status", .text),
            OperatorColumn("has_access", .flag), OperatorColumn("period_type", .text),
            OperatorColumn("period_start", .instant), OperatorColumn("period_end", .instant),
            OperatorColumn("will_renew", .flag), OperatorColumn("started_at", .instant),
            OperatorColumn("renewals", .integer), OperatorColumn("cancelled_at", .instant),
            OperatorColumn("trial_converted_at", .instant), OperatorColumn("original_transaction_id", .text),
        ]
    )

    /// Purchases that a store refunded, in whole or in part, the latest refund first.
    public static let refunds = OperatorList(
        "refunds",
        from: "admin.refunds",
        by: [Key("coalesce(v.refunded_at, '-infinity')", "timestamptz"), Key("v.claim_id", "bigint")],
        filters: [.environment, Filter("user_id", "account_id", .user)],
        [
            OperatorColumn("claim_id", .integer), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("product_id", .text), OperatorColumn("purchased_at", .instant),
            OperatorColumn("refunded_at", .instant), OperatorColumn("refunded_millionths", .integer),
            OperatorColumn("unit", .text), OperatorColumn("granted", .integer),
            OperatorColumn("refunded", .integer), OperatorColumn("owed", .integer),
            OperatorColumn("repaid", .integer), OperatorColumn("used_by", .json),
        ]
    )
}
