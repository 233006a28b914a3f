extension OperatorList {
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
}
