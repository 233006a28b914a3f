/// The configuration keys of background work: batches of bookings, outgoing events, retries and reconciliation.
extension ConfigurationKey {
    static let bookingGroupLimit = Self(
        "BOOKING_BATCH_LIMIT",
        .fallback("32"),
        "Bookings and cancellations that one statement decides at most; 1 for each by itself."
    )
    static let bookingWorkers = Self(
        "BOOKING_WORKERS",
        .fallback("1"),
        "Batches of bookings that may be under way at a time. More of them make smaller batches; each takes a connection."
    )
    static let bookingQueueLimit = Self(
        "BOOKING_QUEUE_LIMIT",
        .fallback("4096"),
        "Bookings and cancellations that may wait for a batch; more are answered 503 overloaded."
    )
    static let bookingQueuePatience = Self(
        "BOOKING_QUEUE_PATIENCE",
        .fallback("5"),
        "Seconds that a booking waits for its batch to start; then it is answered 503 overloaded."
    )
    static let tokenCacheLimit = Self(
        "TOKEN_CACHE_LIMIT",
        .fallback("100000"),
        "Verified bearer tokens that are remembered, about 300 bytes each; 0 for none."
    )

    static let eventsURL = Self(
        "EVENTS_URL",
        .optional,
        "https address that gets every event (Standard Webhooks); with it the secret below is required. Redirects are "
            + "not followed."
    )
    static let eventsSecret = Self(
        "EVENTS_SECRET",
        .required,
        isSecret: true,
        "Secret that signs events: whsec_ and at least 24 bytes in base64; several separated by spaces while it is "
            + "changed."
    )
    static let workInterval = Self(
        "WORK_INTERVAL",
        .fallback("5"),
        "Seconds between two rounds that try messages and deliveries again; 0 for none here."
    )
    static let eventsKeptDays = Self(
        "EVENTS_KEPT_DAYS",
        .fallback("30"),
        "Days for which processed messages and events are kept; they go by the week, so up to seven more. An event that "
            + "is not delivered is kept for longer, and its week with it."
    )
    static let quarantineKeptDays = Self(
        "QUARANTINE_KEPT_DAYS",
        .fallback("90"),
        "Days for which a store's message is kept that failed too often or cannot be read; then it is given up."
    )
    static let reconcileInterval = Self(
        "RECONCILE_INTERVAL",
        .fallback("86400"),
        "Seconds between two comparisons with the stores; 0 for none here."
    )
    static let reconcileMaximumGrants = Self(
        "RECONCILE_MAXIMUM_GRANTS",
        .fallback("20"),
        "How many missing grants a reconciliation repairs without confirmation."
    )

    static let sweepInterval = Self(
        "SWEEP_INTERVAL",
        .fallback("60"),
        "Seconds between two rounds that post due expiries and end bookings whose unlimited plan has ended; 0 for none "
            + "here. Balances are right without them, but those bookings stand and streams hear of no expiry."
    )
    static let sumsInterval = Self(
        "SUMS_INTERVAL",
        .fallback("300"),
        "Seconds between two rounds that add what was posted to the daily sums, which reports read; 0 for none here."
    )
    static let reportsInterval = Self(
        "REPORTS_INTERVAL",
        .fallback("3600"),
        "Seconds between two rounds that make the reports of revenue, breakage and subscriptions again, for which they "
            + "read every purchase and lot; 0 for none here. In psql the views are always as of now."
    )
    static let studioInterval = Self(
        "STUDIO_INTERVAL",
        .fallback("1"),
        "Seconds between two rounds that give freed seats to the waitlist and settle cancelled and moved classes; 0 for "
            + "none here."
    )

    static let allOfWork = [
        bookingGroupLimit, bookingWorkers, bookingQueueLimit, bookingQueuePatience, tokenCacheLimit,
        eventsURL, eventsSecret, sweepInterval, sumsInterval, reportsInterval, studioInterval, workInterval,
        eventsKeptDays, quarantineKeptDays, reconcileInterval, reconcileMaximumGrants,
    ]
}
