/// The lists of the console's first page and of its past classes. The API has their rows in other lists.
extension OperatorList {
    /// The classes of today and tomorrow in the studio's time zone, by their start.
    package static let today = OperatorList(
        "today",
        from: "admin.today",
        by: [Key("v.starts_at", "timestamptz"), Key("v.class_id", "text")],
        descending: false,
        [
            OperatorColumn("class_id", .text), OperatorColumn("day", .day), OperatorColumn("is_today", .flag),
            OperatorColumn("title", .text), OperatorColumn("starts_at", .instant), OperatorColumn("ends_at", .instant),
            OperatorColumn("status", .text), OperatorColumn("capacity", .integer),
            OperatorColumn("seats_sold", .integer), OperatorColumn("waiting", .integer),
            OperatorColumn("unmarked", .integer),
        ]
    )

    /// The totals of sales and refunds of the studio's day and month, by currency.
    package static let revenueNow = OperatorList(
        "revenue_now",
        isReport: true,
        from: "wallet.revenue_now",
        by: [Key("coalesce(v.currency, '')", "text"), Key("v.period", "text")],
        descending: false,
        [
            OperatorColumn("period", .text), OperatorColumn("currency", .text), OperatorColumn("purchases", .integer),
            OperatorColumn("gross", .money), OperatorColumn("gross_minor", .decimal),
            OperatorColumn("refunds", .integer), OperatorColumn("refunded", .money),
            OperatorColumn("refunded_minor", .decimal), OperatorColumn("net", .money),
            OperatorColumn("net_minor", .decimal),
        ]
    )

    /// The kinds of work that need an operator, each with the number of items up to 100.
    package static let attention = OperatorList(
        "attention",
        from: "admin.attention",
        by: [Key("v.kind", "text")],
        descending: false,
        [OperatorColumn("kind", .text), OperatorColumn("items", .integer), OperatorColumn("since", .instant)]
    )

    /// Classes with production seats, the latest first.
    package static let pastClasses = OperatorList(
        "past_classes",
        shown: Shown(
            title: "Past classes",
            empty: "No past classes yet",
            about: "The latest first. Seats are counted for production wallets only.",
            columns: OperatorList.classes.shown.columns,
            shortcuts: [Shortcut("Upcoming classes", "classes")]
        ),
        from: "admin.classes",
        by: OperatorList.classes.key,
        filters: OperatorList.classes.filters,
        OperatorList.classes.columns
    )
}
