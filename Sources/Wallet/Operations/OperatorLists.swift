extension OperatorList {
    /// All lists.
    public static let all = [
        users, audit, messages, events, undelivered, flags, invariants, compensations, classes, roster, series,
        seriesBookings, holidays, bookings, waitlist, policies, products, testers, lots, claims, subscriptions,
        refunds, revenueMonths, revenue, deferredRevenue, movements, seats, breakage, subscriptionMonths,
        attendanceByClass, attendanceByMember,
    ]

    /// All users with their names, newest first.
    public static let users = OperatorList(
        "users",
        shown: Shown(
            title: "Users",
            empty: "No users yet. Users appear when they open the app, or after an import.",
            about: "All users, newest first. Search by any part of the name, the email address or the id. Balances are "
                + "those of production wallets.",
            columns: [
                "user_id", "email", "credits", "visits", "is_anonymous", "is_blocked", "is_tester", "created_at",
            ]
        ),
        from: "admin.users",
        by: [Key("v.account_id", "bigint")],
        filters: [Filter("q", "user_id", .search), Filter("user_id", "account_id", .user)],
        [
            OperatorColumn("user_id", .text), OperatorColumn("name", .text), OperatorColumn("email", .text),
            OperatorColumn("credits", .integer), OperatorColumn("visits", .integer),
            OperatorColumn("is_anonymous", .flag), OperatorColumn("is_blocked", .flag),
            OperatorColumn("is_tester", .flag), OperatorColumn("created_at", .instant),
        ]
    )

    /// All actions of operators and administrators, newest first.
    public static let audit = OperatorList(
        "audit",
        shown: Shown(
            title: "Audit",
            empty: "No actions yet",
            about: "All actions of operators and administrators. These records cannot be changed.",
            columns: ["at", "actor", "action", "user_id", "object_id", "reason", "before", "after", "reference"]
        ),
        from: "admin.audit",
        by: [Key("v.audit_id", "bigint")],
        filters: [
            Filter("user_id", "account_id", .user), Filter("action"), Filter("kind"), Filter("object_id"),
            Filter("actor"),
        ],
        [
            OperatorColumn("audit_id", .integer), OperatorColumn("at", .instant), OperatorColumn("actor", .text),
            OperatorColumn("role", .text), OperatorColumn("action", .text), OperatorColumn("kind", .text),
            OperatorColumn("object_id", .text), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("reason", .text),
            OperatorColumn("reference", .text), OperatorColumn("before", .json), OperatorColumn("after", .json),
        ]
    )

    /// The stores' messages, newest first.
    public static let messages = OperatorList(
        "messages",
        shown: Shown(
            title: "Inbox",
            empty: "No store messages yet. Configure the webhooks of your stores to receive them.",
            about: "Messages of the stores. Quarantined messages need an operator. Failed messages are retried; "
                + "messages with the status awaiting_user wait for their user.",
            columns: [
                "received_at", "source", "type", "status", "reason", "attempts", "next_attempt_at", "inbox_id",
            ],
            shortcuts: ["new", "failed", "awaiting_user", "quarantined"].map {
                Shortcut($0, "messages", ["status": $0])
            }
        ),
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

    /// The compensations of many users under one reference, newest first.
    public static let compensations = OperatorList(
        "compensations",
        shown: Shown(
            title: "Compensations",
            empty:
                "No compensations yet. Compensate the members of a class from its page, or a list of users from here.",
            about: "Amounts that were added to the members of a class or to a list of users in one action.",
            columns: [
                "at", "class_id", "environment", "unit", "amount", "users", "total", "reason", "actor", "reference",
            ]
        ),
        from: "admin.compensations",
        by: [Key("v.at", "timestamptz"), Key("v.reference", "text")],
        filters: [Filter("class_id"), Filter("reference")],
        [
            OperatorColumn("reference", .text), OperatorColumn("class_id", .text),
            OperatorColumn("environment", .text), OperatorColumn("unit", .text), OperatorColumn("amount", .integer),
            OperatorColumn("users", .integer), OperatorColumn("total", .integer), OperatorColumn("source", .text),
            OperatorColumn("expires_at", .instant), OperatorColumn("reason", .text), OperatorColumn("actor", .text),
            OperatorColumn("at", .instant),
        ]
    )

    /// The events of the last weeks and their delivery state, newest first.
    public static let events = OperatorList(
        "events",
        shown: Shown(
            title: "Events",
            empty: "No events yet. Every change of a balance, a booking or a subscription is one.",
            about: "Events that the wallet sends to your endpoint.",
            columns: ["at", "type", "user_id", "environment", "status", "attempts", "last_error", "event_id"],
            shortcuts: [
                Shortcut("undelivered", "undelivered"),
                Shortcut("given up", "undelivered", ["status": "dead"]),
            ]
        ),
        from: "admin.outbox",
        by: [Key("v.at", "timestamptz"), Key("v.event_id", "bigint")],
        filters: [Filter("type"), Filter("from", "at", .from), Filter("until", "at", .until)],
        [
            OperatorColumn("event_id", .integer), OperatorColumn("type", .text), OperatorColumn("user_id", .text),
            OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("at", .instant),
            OperatorColumn("status", .text), OperatorColumn("attempts", .integer),
            OperatorColumn("last_error", .text), OperatorColumn("next_attempt_at", .instant),
        ]
    )

    /// Events that the endpoint has not accepted, pending or given up; newest first.
    public static let undelivered = OperatorList(
        "undelivered",
        shown: Shown(
            title: "Undelivered events",
            empty: "No undelivered events",
            about: "Events that wait for delivery (pending) or were given up (dead).",
            columns: nil
        ),
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
        shown: Shown(
            title: "Review flags",
            empty: "No review flags yet. A user with three refunds within 180 days gets one.",
            about: "Users with many refunds. Blocked accounts get no grants and cannot book.",
            columns: [
                "raised_at", "user_id", "environment", "refunds", "is_blocked", "resolution", "resolved_at",
                "resolved_by",
            ],
            shortcuts: [Shortcut("open", "flags", ["open": "true"])]
        ),
        from: "admin.review_flags",
        by: [Key("v.flag_id", "bigint")],
        filters: [
            Filter("open", "resolution", .isOpen), Filter("user_id", "account_id", .user),
            Filter("flag_id", nil, .integer),
        ],
        [
            OperatorColumn("flag_id", .integer), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("app_transaction_id", .text),
            OperatorColumn("refunds", .integer), OperatorColumn("raised_at", .instant),
            OperatorColumn("resolution", .text), OperatorColumn("resolved_at", .instant),
            OperatorColumn("resolved_by", .text), OperatorColumn("is_blocked", .flag),
        ]
    )

    /// The unresolved violations that the checks of changed wallets and classes found, by invariant.
    public static let invariants = OperatorList(
        "invariants",
        shown: Shown(
            title: "Invariants",
            empty: "No invariants",
            about: "Unresolved violations that the running checks found in changed wallets and classes. "
                + "Every number must be 0.",
            columns: nil
        ),
        from: "wallet.finding_counts",
        by: [Key("v.name", "text")],
        descending: false,
        [OperatorColumn("name", .text), OperatorColumn("violations", .integer)]
    )

    /// Classes with production seats, by their start.
    public static let classes = OperatorList(
        "classes",
        shown: Shown(
            title: "Classes",
            empty: "No upcoming classes. Create a class, or a series to repeat it every week.",
            about: "Sorted by start. Seats are counted for production wallets only.",
            columns: [
                "starts_at", "title", "status", "capacity", "seats_sold", "seats_held", "waiting", "price_credits",
                "price_visits",
            ],
            shortcuts: [
                Shortcut("Past classes", "past-classes"), Shortcut("Series", "series"),
                Shortcut("Holidays", "holidays"),
            ]
        ),
        from: "admin.classes",
        by: [Key("v.starts_at", "timestamptz"), Key("v.class_id", "text")],
        descending: false,
        filters: [
            Filter("from", "starts_at", .from), Filter("until", "starts_at", .until), Filter("status"),
            Filter("class_id"), Filter("series_id"),
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
            OperatorColumn("policy_id", .text), OperatorColumn("cancel_reason", .text),
            OperatorColumn("series_id", .text), OperatorColumn("minutes", .integer),
        ]
    )

    /// The bookings of a class, the oldest first; for a cancelled class, those that it had then.
    public static let roster = OperatorList(
        "roster",
        of: .class,
        from: "admin.roster",
        by: [Key("v.booking_id", "uuid")],
        descending: false,
        filters: [Filter("class_id", isRequired: true), .environment],
        rosterColumns
    )

    private static let rosterColumns = [
        OperatorColumn("booking_id", .text), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
        OperatorColumn("environment", .text), OperatorColumn("seats", .integer), OperatorColumn("unit", .text),
        OperatorColumn("amount", .integer), OperatorColumn("created_at", .instant),
        OperatorColumn("attendance", .text), OperatorColumn("checked_in", .flag), OperatorColumn("fee", .integer),
        OperatorColumn("strike", .flag), OperatorColumn("cancelled_at", .instant),
        OperatorColumn("returned", .integer),
    ]

    /// The weekly series of classes, by their ids.
    public static let series = OperatorList(
        "series",
        shown: Shown(
            title: "Series",
            empty: "No series yet. Create one to repeat a class every week.",
            about: "Weekly series of classes. Start and days are in the series' time zone.",
            columns: [
                "series_id", "title", "weekdays", "start_time", "minutes", "time_zone", "from_date", "ends_on",
                "next_starts_at", "classes_ahead",
            ],
            shortcuts: [Shortcut("classes", "classes"), Shortcut("holidays", "holidays")]
        ),
        from: "admin.series",
        by: [Key("v.series_id", "text")],
        descending: false,
        filters: [Filter("series_id")],
        [
            OperatorColumn("series_id", .text), OperatorColumn("title", .text), OperatorColumn("weekdays", .json),
            OperatorColumn("start_time", .text), OperatorColumn("minutes", .integer),
            OperatorColumn("time_zone", .text), OperatorColumn("from_date", .day), OperatorColumn("ends_on", .day),
            OperatorColumn("exceptions", .json), OperatorColumn("create_days_ahead", .integer),
            OperatorColumn("capacity", .integer), OperatorColumn("price_credits", .integer),
            OperatorColumn("price_visits", .integer), OperatorColumn("free_minutes_before", .integer),
            OperatorColumn("max_seats", .integer), OperatorColumn("days_ahead", .integer),
            OperatorColumn("opens_minutes_before", .integer), OperatorColumn("closes_minutes_before", .integer),
            OperatorColumn("max_overlaps", .integer), OperatorColumn("waitlist_cutoff_minutes", .integer),
            OperatorColumn("policy_id", .text), OperatorColumn("classes_ahead", .integer),
            OperatorColumn("next_starts_at", .instant),
        ]
    )

    /// The days without classes of series, the next ones last.
    public static let holidays = OperatorList(
        "holidays",
        shown: Shown(
            title: "Holidays",
            empty: "No holidays yet. Add the days on which the studio is closed; series have no classes then.",
            about: "Days without classes of series. Adding a holiday cancels these classes and returns all payments.",
            columns: nil
        ),
        from: "admin.holidays",
        by: [Key("v.on_date", "date")],
        filters: [Filter("on_date")],
        [OperatorColumn("on_date", .day), OperatorColumn("name", .text)]
    )

    /// The bookings of all classes of a series, the oldest first.
    public static let seriesBookings = OperatorList(
        "series_bookings",
        shown: Shown(
            title: "Bookings of a series",
            empty: "No bookings yet",
            about: "The bookings of all classes of the series, past and future. Bookings of cancelled classes show the "
                + "returned amount.",
            columns: [
                "starts_at", "class_title", "user_id", "attendance", "environment", "seats", "unit", "amount",
                "returned",
            ]
        ),
        from: "admin.roster",
        by: [Key("v.booking_id", "uuid")],
        descending: false,
        filters: [
            Filter("series_id", isRequired: true), Filter("from", "starts_at", .from),
            Filter("until", "starts_at", .until), .environment,
        ],
        rosterColumns + [
            OperatorColumn("class_id", .text), OperatorColumn("class_title", .text),
            OperatorColumn("starts_at", .instant),
        ]
    )

    /// All bookings, newest first.
    public static let bookings = OperatorList(
        "bookings",
        shown: Shown(
            title: "Bookings",
            empty: "No bookings yet. Users book in the app.",
            about: "All bookings, newest first.",
            columns: [
                "created_at", "user_id", "class_title", "starts_at", "status", "seats", "unit", "amount",
                "returned", "cancelled_by", "attendance", "environment", "booking_id",
            ],
            shortcuts: ["booked", "cancelled"].map {
                Shortcut($0, "bookings", ["status": $0])
            }
        ),
        from: "admin.bookings",
        by: [Key("v.booking_id", "uuid")],
        filters: [
            Filter("user_id", "account_id", .user), Filter("status", nil, .oneOf(["booked", "cancelled"])),
        ],
        [
            OperatorColumn("booking_id", .text), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("class_id", .text),
            OperatorColumn("class_title", .text), OperatorColumn("starts_at", .instant),
            OperatorColumn("status", .text), OperatorColumn("seats", .integer), OperatorColumn("unit", .text),
            OperatorColumn("amount", .integer), OperatorColumn("returned", .integer),
            OperatorColumn("late_cancel", .flag), OperatorColumn("cancelled_by", .text),
            OperatorColumn("free_until", .instant), OperatorColumn("created_at", .instant),
            OperatorColumn("cancelled_at", .instant), OperatorColumn("attendance", .text),
            OperatorColumn("fee", .integer), OperatorColumn("strike", .flag), OperatorColumn("policy_id", .text),
        ]
    )

    /// The waitlist of a class, by position.
    public static let waitlist = OperatorList(
        "waitlist",
        of: .class,
        from: "admin.waitlist",
        by: [Key("v.environment", "wallet.environment"), Key("v.place", "bigint")],
        descending: false,
        filters: [Filter("class_id", isRequired: true), .environment],
        [
            OperatorColumn("place", .integer), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("seats", .integer),
            OperatorColumn("joined_at", .instant),
        ]
    )

    /// The policies of classes, by id.
    public static let policies = OperatorList(
        "policies",
        shown: Shown(
            title: "Policies",
            empty: "No policies yet. Create one to charge fees or count strikes for late cancellations and no-shows.",
            about: "The consequences of late cancellations and no-shows. Changes apply to later bookings.",
            columns: [
                "policy_id", "name", "free_minutes_before", "late_cancel_fee", "late_cancel_strike", "no_show_fee",
                "no_show_strike", "strikes_allowed", "strike_days", "block_days",
            ]
        ),
        from: "admin.policies",
        by: [Key("v.policy_id", "text")],
        descending: false,
        filters: [Filter("policy_id")],
        [
            OperatorColumn("policy_id", .text), OperatorColumn("name", .text),
            OperatorColumn("free_minutes_before", .integer), OperatorColumn("late_cancel_fee", .integer),
            OperatorColumn("late_cancel_strike", .flag), OperatorColumn("no_show_fee", .integer),
            OperatorColumn("no_show_strike", .flag), OperatorColumn("strikes_allowed", .integer),
            OperatorColumn("strike_days", .integer), OperatorColumn("block_days", .integer),
            OperatorColumn("check_in_minutes_before", .integer), OperatorColumn("check_in_minutes_after", .integer),
        ]
    )

    /// The catalogue, by product id.
    public static let products = OperatorList(
        "products",
        shown: Shown(
            title: "Catalogue",
            empty: "No products yet. Create the packs, passes and plans that your stores sell.",
            about: "Changes apply to new purchases. Earlier purchases keep their terms.",
            columns: [
                "product_id", "kind", "name", "unit", "amount", "bonus", "price", "currency", "is_active",
                "period", "valid_days", "app_store_id", "play_store_id", "revenuecat_id",
            ]
        ),
        from: "admin.products",
        by: [Key("v.product_id", "text")],
        descending: false,
        filters: [Filter("kind"), Filter("product_id")],
        [
            OperatorColumn("product_id", .text), OperatorColumn("kind", .text), OperatorColumn("name", .text),
            OperatorColumn("description", .text), OperatorColumn("unit", .text), OperatorColumn("amount", .integer),
            OperatorColumn("bonus", .integer), OperatorColumn("price", .money),
            OperatorColumn("price_minor", .integer),
            OperatorColumn("currency", .text), OperatorColumn("is_active", .flag),
            OperatorColumn("is_popular", .flag), OperatorColumn("display_order", .integer),
            OperatorColumn("app_store_id", .text), OperatorColumn("play_store_id", .text),
            OperatorColumn("revenuecat_id", .text), OperatorColumn("valid_days", .integer),
            OperatorColumn("grace_days", .integer), OperatorColumn("tier", .integer),
            OperatorColumn("period", .text), OperatorColumn("unlimited", .flag),
            OperatorColumn("trial_amount", .integer), OperatorColumn("rollover_percentage", .integer),
            OperatorColumn("rollover_cap", .integer), OperatorColumn("subscription_group", .text),
            OperatorColumn("grant_source", .text), OperatorColumn("days_ahead", .integer),
            OperatorColumn("commitment_amount", .integer), OperatorColumn("freeze_days", .integer),
            OperatorColumn("freeze_minimum_days", .integer), OperatorColumn("starts_within_days", .integer),
            OperatorColumn("bundle_items", .json), OperatorColumn("entitlements", .json),
        ]
    )

    /// Users who act on sandbox wallets.
    public static let testers = OperatorList(
        "testers",
        from: "admin.testers",
        by: [Key("v.user_id", "text")],
        descending: false,
        [OperatorColumn("user_id", .text), OperatorColumn("user_name", .text), OperatorColumn("created_at", .instant)]
    )

    /// A user's grants and their use, newest first.
    public static let lots = OperatorList(
        "lots",
        of: .user,
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
            OperatorColumn("expires_at", .instant), OperatorColumn("frozen_from", .instant),
            OperatorColumn("frozen_until", .instant), OperatorColumn("starts_at", .instant),
            OperatorColumn("released", .flag),
            OperatorColumn("created_at", .instant),
        ]
    )

    /// Store transactions, with their remaining grants and their releases, newest first.
    public static let claims = OperatorList(
        "claims",
        shown: Shown(
            title: "Purchases",
            empty: "No purchases yet",
            about: "The stores' transactions, newest first.",
            columns: [
                "purchased_at", "user_id", "product_id", "store", "environment", "status", "unit", "granted",
                "remaining", "owed", "claim_id",
            ]
        ),
        from: "admin.purchases",
        by: [Key("v.claim_id", "bigint")],
        filters: [Filter("user_id", "account_id", .user), Filter("store", nil, .oneOf(["app_store", "play_store"]))],
        [
            OperatorColumn("claim_id", .integer), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("transaction_id", .text), OperatorColumn("product_id", .text),
            OperatorColumn("purchased_at", .instant), OperatorColumn("status", .text),
            OperatorColumn("quantity", .integer), OperatorColumn("unit", .text),
            OperatorColumn("granted", .integer), OperatorColumn("remaining", .integer),
            OperatorColumn("owed", .integer), OperatorColumn("refunded_millionths", .integer),
            OperatorColumn("released", .flag), OperatorColumn("lots", .json), OperatorColumn("used_by", .json),
        ]
    )

    /// All subscriptions, newest first.
    public static let subscriptions = OperatorList(
        "subscriptions",
        shown: Shown(
            title: "Subscriptions",
            empty: "No subscriptions yet",
            about: "All subscriptions with their current state, newest first.",
            columns: [
                "started_at", "user_id", "product_id", "store", "environment", "status", "period_end",
                "will_renew", "renewals", "cancelled_at",
            ],
            shortcuts: ["trial", "active", "grace", "billing_retry", "paused", "expired"].map {
                Shortcut($0.replacing("_", with: " "), "subscriptions", ["status": $0])
            }
        ),
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
            OperatorColumn("user_name", .text),
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
        shown: Shown(
            title: "Refunds",
            empty: "No refunds yet",
            about: "Purchases that a store refunded. Owed is the spent part that is not repaid yet.",
            columns: [
                "refunded_at", "user_id", "product_id", "environment", "unit", "granted", "refunded", "owed",
                "repaid", "used_by",
            ]
        ),
        from: "admin.refunds",
        by: [Key("coalesce(v.refunded_at, '-infinity')", "timestamptz"), Key("v.claim_id", "bigint")],
        filters: [.environment, Filter("user_id", "account_id", .user)],
        [
            OperatorColumn("claim_id", .integer), OperatorColumn("user_id", .text), OperatorColumn("user_name", .text),
            OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("transaction_id", .text), OperatorColumn("product_id", .text),
            OperatorColumn("purchased_at", .instant), OperatorColumn("refunded_at", .instant),
            OperatorColumn("refunded_millionths", .integer), OperatorColumn("unit", .text),
            OperatorColumn("granted", .integer), OperatorColumn("refunded", .integer),
            OperatorColumn("owed", .integer), OperatorColumn("repaid", .integer), OperatorColumn("lots", .json),
            OperatorColumn("used_by", .json),
        ]
    )

    /// The totals of sales and refunds by month and currency, the latest first.
    public static let revenueMonths = OperatorList(
        "revenue_months",
        isReport: true,
        from: "wallet.revenue_months",
        by: [
            Key("v.month", "date"), Key("v.environment", "wallet.environment"),
            Key("coalesce(v.currency, '')", "text"),
        ],
        filters: [.environment],
        [
            OperatorColumn("month", .day), OperatorColumn("environment", .text), OperatorColumn("currency", .text),
            OperatorColumn("purchases", .integer), OperatorColumn("gross", .money),
            OperatorColumn("gross_minor", .decimal), OperatorColumn("refunds", .integer),
            OperatorColumn("refunded", .money), OperatorColumn("refunded_minor", .decimal),
            OperatorColumn("net", .money), OperatorColumn("net_minor", .decimal),
        ]
    )

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
            .environment, Filter("from", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .from),
            Filter("until", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .until),
        ],
        [
            OperatorColumn("day", .day), OperatorColumn("environment", .text), OperatorColumn("store", .text),
            OperatorColumn("product_id", .text), OperatorColumn("currency", .text),
            OperatorColumn("purchases", .integer), OperatorColumn("quantity", .integer),
            OperatorColumn("trials", .integer), OperatorColumn("gross", .money),
            OperatorColumn("gross_minor", .decimal),
            OperatorColumn("refunds", .integer), OperatorColumn("refunded", .money),
            OperatorColumn("refunded_minor", .decimal), OperatorColumn("net", .money),
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

    /// The attendance of each class that has begun, the latest class first.
    public static let attendanceByClass = OperatorList(
        "attendance_by_class",
        isReport: true,
        from: "admin.attendance_by_class",
        by: [
            Key("v.starts_at", "timestamptz"), Key("v.class_id", "text"), Key("v.environment", "wallet.environment"),
        ],
        filters: [
            .environment, Filter("from", "starts_at", .from), Filter("until", "starts_at", .until),
            Filter("class_id"),
        ],
        [
            OperatorColumn("starts_at", .instant), OperatorColumn("class_id", .text), OperatorColumn("title", .text),
            OperatorColumn("environment", .text), OperatorColumn("bookings", .integer),
            OperatorColumn("seats", .integer), OperatorColumn("attended", .integer),
            OperatorColumn("checked_in", .integer), OperatorColumn("no_shows", .integer),
            OperatorColumn("excused", .integer), OperatorColumn("unmarked", .integer),
            OperatorColumn("no_show_percentage", .decimal),
        ]
    )

    /// The attendance of each member, the latest account first.
    public static let attendanceByMember = OperatorList(
        "attendance_by_member",
        isReport: true,
        from: "admin.attendance_by_member",
        by: [Key("v.account_id", "bigint"), Key("v.environment", "wallet.environment")],
        filters: [.environment, Filter("user_id", "account_id", .user)],
        [
            OperatorColumn("user_id", .text), OperatorColumn("environment", .text),
            OperatorColumn("bookings", .integer), OperatorColumn("attended", .integer),
            OperatorColumn("no_shows", .integer), OperatorColumn("excused", .integer),
            OperatorColumn("late_cancels", .integer), OperatorColumn("no_show_percentage", .decimal),
            OperatorColumn("strikes", .integer), OperatorColumn("blocked_until", .instant),
            OperatorColumn("last_visit_at", .instant),
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
            .environment, Filter("from", "month::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .from),
            Filter("until", "month::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .until),
        ],
        [
            OperatorColumn("month", .day), OperatorColumn("environment", .text), OperatorColumn("unit", .text),
            OperatorColumn("source", .text), OperatorColumn("product_id", .text),
            OperatorColumn("opening", .decimal), OperatorColumn("sold", .decimal), OperatorColumn("given", .decimal),
            OperatorColumn("rolled", .decimal), OperatorColumn("moved", .decimal), OperatorColumn("used", .decimal),
            OperatorColumn("lapsed", .decimal), OperatorColumn("refunded", .decimal),
            OperatorColumn("closing", .decimal), OperatorColumn("currency", .text),
            OperatorColumn("opening_value", .money), OperatorColumn("opening_minor", .decimal),
            OperatorColumn("sold_value", .money), OperatorColumn("sold_minor", .decimal),
            OperatorColumn("other_value", .money), OperatorColumn("other_minor", .decimal),
            OperatorColumn("used_value", .money), OperatorColumn("used_minor", .decimal),
            OperatorColumn("lapsed_value", .money), OperatorColumn("lapsed_minor", .decimal),
            OperatorColumn("refunded_value", .money), OperatorColumn("refunded_minor", .decimal),
            OperatorColumn("closing_value", .money), OperatorColumn("closing_minor", .decimal),
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
            Filter("from", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .from),
            Filter("until", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .until),
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
            Filter("from", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .from),
            Filter("until", "day::timestamp AT TIME ZONE (SELECT wallet.studio_time_zone())", .until),
        ],
        [
            OperatorColumn("day", .day), OperatorColumn("classes", .integer), OperatorColumn("capacity", .integer),
            OperatorColumn("seats_sold", .integer),
        ]
    )
}
