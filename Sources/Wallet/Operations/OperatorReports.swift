extension OperatorList {
    /// Sales and refunds by day at list prices, the latest first.
    public static let revenue = OperatorList(
        "revenue",
        isReport: true,
        from: "wallet.revenue_report",
        by: [
            Key("v.day", "date"), Key("v.environment", "wallet.environment"), Key("v.store", "text"),
            Key("coalesce(v.product_id, '')", "text"), Key("coalesce(v.currency, '')", "text"),
        ],
        filters: [
            .environment, Filter("from", "day::timestamp AT TIME ZONE 'UTC'", .from),
            Filter("until", "day::timestamp AT TIME ZONE 'UTC'", .until),
        ],
        [
            OperatorColumn("day", .day), OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("product_id", .text), OperatorColumn("currency", .text),
            OperatorColumn("purchases", .integer), OperatorColumn("quantity", .integer),
            OperatorColumn("trials", .integer), OperatorColumn("gross_minor", .decimal),
            OperatorColumn("refunds", .integer), OperatorColumn("refunded_minor", .decimal),
            OperatorColumn("net_minor", .decimal),
        ]
    )

    /// The use, expiry and refund of all grants by month, the latest first.
    public static let breakage = OperatorList(
        "breakage",
        isReport: true,
        from: "wallet.breakage_report",
        by: [
            Key("v.month", "date"), Key("v.environment", "wallet.environment"), Key("v.source", "text"),
            Key("coalesce(v.product_id, '')", "text"), Key("v.unit", "wallet.unit"),
        ],
        filters: [.environment],
        [
            OperatorColumn("month", .day), OperatorColumn("environment", .text), OperatorColumn("source", .text),
            OperatorColumn("product_id", .text), OperatorColumn("unit", .text), OperatorColumn("lots", .integer),
            OperatorColumn("granted", .decimal), OperatorColumn("spent", .decimal),
            OperatorColumn("lapsed", .decimal), OperatorColumn("refunded", .decimal),
            OperatorColumn("outstanding", .decimal), OperatorColumn("owed", .decimal),
            OperatorColumn("repaid", .decimal), OperatorColumn("lapsed_percentage", .decimal),
        ]
    )

    /// The starts, renewals and ends of subscriptions by month and plan, the latest first.
    public static let subscriptionMonths = OperatorList(
        "subscription_months",
        isReport: true,
        from: "wallet.subscription_report",
        by: [
            Key("v.month", "date"), Key("v.environment", "wallet.environment"),
            Key("coalesce(v.product_id, '')", "text"),
        ],
        filters: [.environment],
        [
            OperatorColumn("month", .day), OperatorColumn("environment", .text),
            OperatorColumn("product_id", .text), OperatorColumn("starts", .integer),
            OperatorColumn("renewals", .integer), OperatorColumn("cancellations", .integer),
            OperatorColumn("trials_started", .integer), OperatorColumn("trials_converted", .integer),
            OperatorColumn("expirations", .integer),
        ]
    )

    /// Deferred revenue rolled forward by month and product, the latest month first.
    public static let deferredRevenue = OperatorList(
        "deferred_revenue",
        isReport: true,
        from: "admin.deferred_revenue",
        by: [
            Key("v.month", "date"), Key("v.environment", "wallet.environment"), Key("v.unit", "wallet.unit"),
            Key("coalesce(v.source, '')", "text"), Key("coalesce(v.product_id, '')", "text"),
            Key("coalesce(v.currency, '')", "text"),
        ],
        filters: [
            .environment, Filter("from", "month::timestamp AT TIME ZONE 'UTC'", .from),
            Filter("until", "month::timestamp AT TIME ZONE 'UTC'", .until),
        ],
        [
            OperatorColumn("month", .day), OperatorColumn("environment", .text), OperatorColumn("unit", .text),
            OperatorColumn("source", .text), OperatorColumn("product_id", .text),
            OperatorColumn("opening", .decimal), OperatorColumn("sold", .decimal), OperatorColumn("given", .decimal),
            OperatorColumn("rolled", .decimal), OperatorColumn("moved", .decimal), OperatorColumn("used", .decimal),
            OperatorColumn("lapsed", .decimal), OperatorColumn("refunded", .decimal),
            OperatorColumn("closing", .decimal), OperatorColumn("currency", .text),
            OperatorColumn("opening_minor", .decimal), OperatorColumn("sold_minor", .decimal),
            OperatorColumn("other_minor", .decimal), OperatorColumn("used_minor", .decimal),
            OperatorColumn("lapsed_minor", .decimal), OperatorColumn("refunded_minor", .decimal),
            OperatorColumn("closing_minor", .decimal),
        ]
    )

    /// The granted, used, lapsed and refunded amounts by day, the latest first.
    public static let movements = OperatorList(
        "movements",
        isReport: true,
        from: "admin.movements_daily",
        by: [Key("v.day", "date"), Key("v.environment", "wallet.environment"), Key("v.unit", "wallet.unit")],
        filters: [
            .environment, Filter("unit", nil, .oneOf(["credit", "visit"])),
            Filter("from", "day::timestamp AT TIME ZONE 'UTC'", .from),
            Filter("until", "day::timestamp AT TIME ZONE 'UTC'", .until),
        ],
        [
            OperatorColumn("day", .day), OperatorColumn("environment", .text), OperatorColumn("unit", .text),
            OperatorColumn("granted", .decimal), OperatorColumn("used", .decimal), OperatorColumn("lapsed", .decimal),
            OperatorColumn("refunded", .decimal), OperatorColumn("outstanding", .decimal),
        ]
    )

    /// The capacity and the sold seats of all classes by day, the latest first.
    public static let seats = OperatorList(
        "seats",
        isReport: true,
        from: "admin.seats_daily",
        by: [Key("v.day", "date")],
        filters: [
            Filter("from", "day::timestamp AT TIME ZONE 'UTC'", .from),
            Filter("until", "day::timestamp AT TIME ZONE 'UTC'", .until),
        ],
        [
            OperatorColumn("day", .day), OperatorColumn("classes", .integer), OperatorColumn("capacity", .integer),
            OperatorColumn("sold", .integer),
        ]
    )
}
