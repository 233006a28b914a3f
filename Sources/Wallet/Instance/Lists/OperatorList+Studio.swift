extension OperatorList {
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
}
