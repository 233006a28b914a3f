extension OperatorList {
    /// All lists.
    public static let all = [
        audit, messages, events, undelivered, flags, invariants, classes, roster, allBookings, waitlist, products,
        testers, lots, claims, allSubscriptions, refunds, revenue, deferredRevenue, movements, seats, breakage,
        subscriptionMonths,
    ]

    /// All actions of operators and administrators, newest first.
    public static let audit = OperatorList(
        "audit",
        from: "admin.audit",
        by: [Key("v.audit_id", "bigint")],
        filters: [
            Filter("user_id", "account_id", .user), Filter("action"), Filter("kind"), Filter("object_id"),
            Filter("actor"),
        ],
        [
            OperatorColumn("audit_id", .integer), OperatorColumn("at", .instant), OperatorColumn("actor", .text),
            OperatorColumn("role", .text), OperatorColumn("action", .text), OperatorColumn("kind", .text),
            OperatorColumn("object_id", .text), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("reason", .text),
            OperatorColumn("reference", .text), OperatorColumn("before", .json), OperatorColumn("after", .json),
        ]
    )

    /// The stores' messages, newest first.
    public static let messages = OperatorList(
        "messages",
        from: "admin.webhook_inbox",
        by: [Key("v.inbox_id", "bigint")],
        filters: [Filter("status"), Filter("source"), Filter("reason"), Filter("inbox_id", nil, .integer)],
        [
            OperatorColumn("inbox_id", .integer), OperatorColumn("source", .text),
            OperatorColumn("source_event_id", .text), OperatorColumn("type", .text),
            OperatorColumn("status", .text), OperatorColumn("reason", .text), OperatorColumn("attempts", .integer),
            OperatorColumn("received_at", .instant), OperatorColumn("processed_at", .instant),
            OperatorColumn("next_attempt_at", .instant),
        ]
    )

    /// The events of the last weeks and their delivery state, newest first.
    public static let events = OperatorList(
        "events",
        from: "admin.outbox",
        by: [Key("v.at", "timestamptz"), Key("v.event_id", "bigint")],
        filters: [Filter("type"), Filter("from", "at", .from), Filter("until", "at", .until)],
        [
            OperatorColumn("event_id", .integer), OperatorColumn("type", .text), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("at", .instant),
            OperatorColumn("status", .text), OperatorColumn("attempts", .integer),
            OperatorColumn("last_error", .text), OperatorColumn("next_attempt_at", .instant),
        ]
    )

    /// Events that the endpoint has not accepted, pending or given up; newest first.
    public static let undelivered = OperatorList(
        "undelivered",
        from: "admin.undelivered",
        by: [Key("v.event_at", "timestamptz"), Key("v.event_id", "bigint")],
        filters: [Filter("status")],
        [
            OperatorColumn("event_id", .integer), OperatorColumn("event_at", .instant),
            OperatorColumn("status", .text), OperatorColumn("attempts", .integer),
            OperatorColumn("last_error", .text), OperatorColumn("next_attempt_at", .instant),
        ]
    )

    /// Users with many refunds, newest first.
    public static let flags = OperatorList(
        "flags",
        from: "admin.review_flags",
        by: [Key("v.flag_id", "bigint")],
        filters: [
            Filter("open", "resolution", .isOpen), Filter("user_id", "account_id", .user),
            Filter("flag_id", nil, .integer),
        ],
        [
            OperatorColumn("flag_id", .integer), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("app_transaction_id", .text),
            OperatorColumn("refunds", .integer), OperatorColumn("raised_at", .instant),
            OperatorColumn("resolution", .text), OperatorColumn("resolved_at", .instant),
            OperatorColumn("resolved_by", .text), OperatorColumn("is_blocked", .flag),
        ]
    )

    /// The unresolved violations that the checks of changed wallets and classes found, by invariant.
    public static let invariants = OperatorList(
        "invariants",
        from: "wallet.finding_counts",
        by: [Key("v.name", "text")],
        descending: false,
        [OperatorColumn("name", .text), OperatorColumn("violations", .integer)]
    )

    /// Classes with production seats, by their start.
    public static let classes = OperatorList(
        "classes",
        from: "admin.classes",
        by: [Key("v.starts_at", "timestamptz"), Key("v.class_id", "text")],
        descending: false,
        filters: [
            Filter("from", "starts_at", .from), Filter("until", "starts_at", .until), Filter("status"),
            Filter("class_id"),
        ],
        [
            OperatorColumn("class_id", .text), OperatorColumn("title", .text), OperatorColumn("starts_at", .instant),
            OperatorColumn("ends_at", .instant), OperatorColumn("status", .text),
            OperatorColumn("capacity", .integer), OperatorColumn("seats_sold", .integer),
            OperatorColumn("seats_held", .integer), OperatorColumn("seats_left", .integer),
            OperatorColumn("waiting", .integer), OperatorColumn("price_credits", .integer),
            OperatorColumn("price_visits", .integer), OperatorColumn("free_minutes_before", .integer),
            OperatorColumn("max_seats", .integer), OperatorColumn("days_ahead", .integer),
            OperatorColumn("opens_minutes_before", .integer), OperatorColumn("closes_minutes_before", .integer),
            OperatorColumn("max_overlaps", .integer), OperatorColumn("waitlist_cutoff_minutes", .integer),
            OperatorColumn("cancel_reason", .text),
        ]
    )

    /// The bookings of a class, the oldest first.
    public static let roster = OperatorList(
        "roster",
        from: "admin.roster",
        by: [Key("v.booking_id", "uuid")],
        descending: false,
        filters: [Filter("class_id", isRequired: true), .environment],
        [
            OperatorColumn("booking_id", .text), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("seats", .integer), OperatorColumn("unit", .text),
            OperatorColumn("amount", .integer), OperatorColumn("created_at", .instant),
        ]
    )

    /// All bookings, newest first.
    public static let allBookings = OperatorList(
        "all_bookings",
        from: "admin.bookings",
        by: [Key("v.booking_id", "uuid")],
        filters: [
            Filter("user_id", "account_id", .user), Filter("status", nil, .oneOf(["booked", "cancelled"])),
        ],
        [
            OperatorColumn("booking_id", .text), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("class_id", .text),
            OperatorColumn("class_title", .text), OperatorColumn("starts_at", .instant),
            OperatorColumn("status", .text), OperatorColumn("seats", .integer), OperatorColumn("unit", .text),
            OperatorColumn("amount", .integer), OperatorColumn("returned", .integer),
            OperatorColumn("late_cancel", .flag), OperatorColumn("cancelled_by", .text),
            OperatorColumn("free_until", .instant), OperatorColumn("created_at", .instant),
            OperatorColumn("cancelled_at", .instant),
        ]
    )

    /// The waitlist of a class, by position.
    public static let waitlist = OperatorList(
        "waitlist",
        from: "admin.waitlist",
        by: [Key("v.environment", "wallet.environment"), Key("v.place", "bigint")],
        descending: false,
        filters: [Filter("class_id", isRequired: true), .environment],
        [
            OperatorColumn("place", .integer), OperatorColumn("user_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("seats", .integer),
            OperatorColumn("joined_at", .instant),
        ]
    )

    /// The catalogue, by product id.
    public static let products = OperatorList(
        "products",
        from: "admin.products",
        by: [Key("v.product_id", "text")],
        descending: false,
        filters: [Filter("kind"), Filter("product_id")],
        [
            OperatorColumn("product_id", .text), OperatorColumn("kind", .text), OperatorColumn("name", .text),
            OperatorColumn("description", .text), OperatorColumn("unit", .text), OperatorColumn("amount", .integer),
            OperatorColumn("bonus", .integer), OperatorColumn("price_minor", .integer),
            OperatorColumn("currency", .text), OperatorColumn("is_active", .flag),
            OperatorColumn("is_popular", .flag), OperatorColumn("display_order", .integer),
            OperatorColumn("app_store_id", .text), OperatorColumn("play_store_id", .text),
            OperatorColumn("revenuecat_id", .text), OperatorColumn("valid_days", .integer),
            OperatorColumn("grace_days", .integer), OperatorColumn("tier", .integer),
            OperatorColumn("period", .text), OperatorColumn("unlimited", .flag),
            OperatorColumn("trial_amount", .integer), OperatorColumn("rollover_percentage", .integer),
            OperatorColumn("rollover_cap", .integer), OperatorColumn("subscription_group", .text),
            OperatorColumn("grant_source", .text), OperatorColumn("days_ahead", .integer),
            OperatorColumn("commitment_amount", .integer), OperatorColumn("entitlements", .json),
        ]
    )

    /// Users who act on sandbox wallets.
    public static let testers = OperatorList(
        "testers",
        from: "admin.testers",
        by: [Key("v.user_id", "text")],
        descending: false,
        [OperatorColumn("user_id", .text), OperatorColumn("created_at", .instant)]
    )

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
