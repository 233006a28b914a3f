import CommandOutput
import Wallet

/// The configuration keys of background work: batches of bookings, outgoing events, retries and reconciliation.
extension ConfigurationKey {
    private static let batching = BatchingConfiguration()
    private static let work = WorkConfiguration()

    static let bookingGroupLimit = Self(
        "BOOKING_BATCH_LIMIT",
        .fallback(value: batching.batchLimit),
        "Maximum bookings and cancellations that one statement decides; 1 decides each separately."
    )
    static let bookingWorkers = Self(
        "BOOKING_WORKERS",
        .fallback(value: batching.workers),
        "Maximum concurrent batches of bookings. More workers make batches smaller; each uses a connection."
    )
    static let bookingQueueLimit = Self(
        "BOOKING_QUEUE_LIMIT",
        .fallback(value: batching.queueLimit),
        "Maximum bookings and cancellations that wait for a batch; more are answered 503 overloaded."
    )
    static let bookingQueuePatience = Self(
        "BOOKING_QUEUE_TIMEOUT",
        .fallback(seconds: batching.patience),
        "Maximum seconds that a booking waits for its batch to start; after that it is answered 503 overloaded."
    )

    static let eventsURL = Self(
        "EVENTS_URL",
        .optional,
        "https address that receives every event (Standard Webhooks). If set, the secret below is required. Redirects "
            + "are not followed."
    )
    static let eventsSecret = Self(
        "EVENTS_SECRET",
        .required,
        isSecret: true,
        "Secret that signs events: whsec_ and at least 24 bytes in base64; several values separated by spaces during a "
            + "change."
    )
    static let workInterval = Self(
        "WORK_INTERVAL",
        .fallback("5"),
        "Seconds between two rounds that retry messages and deliveries; 0 disables them on this instance."
    )
    static let eventsKeptDays = Self(
        "EVENTS_RETENTION_DAYS",
        .fallback(value: work.eventsKeptDays),
        "Days for which processed messages and events are kept. They are dropped by whole weeks, so up to seven days "
            + "later. A week with an undelivered event is kept."
    )
    static let quarantineKeptDays = Self(
        "QUARANTINE_RETENTION_DAYS",
        .fallback(value: work.quarantineKeptDays),
        "Days for which a store's message that failed too often or cannot be read is kept. After that it is given up."
    )
    static let reconcileInterval = Self(
        "RECONCILE_INTERVAL",
        .fallback("86400"),
        "Seconds between two comparisons with the stores; 0 disables them on this instance."
    )
    static let reconcileMaximumGrants = Self(
        "RECONCILE_MAXIMUM_GRANTS",
        .fallback(value: work.reconcileMaximumGrants),
        "Maximum missing grants that a reconciliation repairs without confirmation."
    )

    static let studioTimeZone = Self(
        "STUDIO_TIME_ZONE",
        .fallback(StudioTimeZone.utc.name),
        "IANA name of the time zone in which operators read and type times, such as Europe/Berlin. Reports count by its "
            + "days; a change computes them again."
    )

    static let sweepInterval = Self(
        "SWEEP_INTERVAL",
        .fallback("60"),
        "Seconds between two rounds that post due expiries and end bookings whose unlimited plan has ended; 0 disables "
            + "them on this instance. Balances are correct without them, but those bookings stay and streams report no "
            + "expiry."
    )
    static let lowCredits = Self(
        "LOW_CREDITS",
        .fallback(value: work.warnings.lowCredits),
        "Credits below which a balance is low: the event credits.low warns once, and again after the balance was "
            + "sufficient. 0 disables the warning. All instances need the same value."
    )
    static let lowVisits = Self(
        "LOW_VISITS",
        .fallback(value: work.warnings.lowVisits),
        "Visits below which a balance is low, as LOW_CREDITS."
    )
    static let expiryWarningDays = Self(
        "EXPIRY_WARNING_DAYS",
        .fallback(value: work.warnings.expiryDays),
        "Days before the expiry of credits or visits at which the event credits.expiring warns once for each lot; 0 "
            + "disables the warning. All instances need the same value."
    )
    static let sumsInterval = Self(
        "SUMS_INTERVAL",
        .fallback("300"),
        "Seconds between two rounds that add new ledger entries to the daily sums of the reports; 0 disables them on "
            + "this instance."
    )
    static let reportsInterval = Self(
        "REPORTS_INTERVAL",
        .fallback("3600"),
        "Seconds between two updates of the reports of revenue, breakage and subscriptions; each reads every purchase "
            + "and lot. 0 disables them on this instance. In psql, the views are always current."
    )
    static let studioInterval = Self(
        "STUDIO_INTERVAL",
        .fallback("1"),
        "Seconds between two rounds that give freed seats to the waitlist and settle cancelled and moved classes; 0 "
            + "disables them on this instance."
    )

    static let allOfWork = [
        bookingGroupLimit, bookingWorkers, bookingQueueLimit, bookingQueuePatience, tokenCacheLimit,
        eventsURL, eventsSecret, sweepInterval, lowCredits, lowVisits, expiryWarningDays, sumsInterval, reportsInterval,
        studioInterval, workInterval, eventsKeptDays, quarantineKeptDays, reconcileInterval, reconcileMaximumGrants,
    ]
}

extension WorkConfiguration {
    /// Reads the configuration of background work.
    ///
    /// - Configuration keys: `SWEEP_INTERVAL`, `SUMS_INTERVAL`, `REPORTS_INTERVAL`, `STUDIO_INTERVAL`, `WORK_INTERVAL`,
    ///   `RECONCILE_INTERVAL`, `APPSTORE_HISTORY_INTERVAL`, `RECONCILE_MAXIMUM_GRANTS`, `EVENTS_RETENTION_DAYS`,
    ///   `QUARANTINE_RETENTION_DAYS`, `LOW_CREDITS`, `LOW_VISITS`, `EXPIRY_WARNING_DAYS`, `EVENTS_URL`,
    ///   `EVENTS_SECRET`.
    init(reader: Settings) throws(CommandError) {
        self.init(
            sweepInterval: try reader.interval(.sweepInterval),
            sumsInterval: try reader.interval(.sumsInterval),
            reportsInterval: try reader.interval(.reportsInterval),
            studioInterval: try reader.interval(.studioInterval),
            workInterval: try reader.interval(.workInterval),
            reconcileInterval: try reader.interval(.reconcileInterval),
            historyInterval: try reader.interval(.appStoreHistoryInterval),
            reconcileMaximumGrants: try reader.reconcileMaximumGrants(),
            eventsKeptDays: try reader.integer(.eventsKeptDays, in: 1...3_660),
            quarantineKeptDays: try reader.integer(.quarantineKeptDays, in: 1...3_660),
            warnings: try WarningThresholds(reader: reader),
            events: try EventEndpoint(reader: reader)
        )
    }
}

extension WarningThresholds {
    /// Reads the thresholds of warnings.
    ///
    /// - Configuration keys: `LOW_CREDITS`, `LOW_VISITS`, `EXPIRY_WARNING_DAYS`.
    init(reader: Settings) throws(CommandError) {
        self.init(
            lowCredits: try reader.integer(.lowCredits, in: 0...1_000_000),
            lowVisits: try reader.integer(.lowVisits, in: 0...1_000_000),
            expiryDays: try reader.integer(.expiryWarningDays, in: 0...366)
        )
    }
}

extension EventEndpoint {
    /// Reads the endpoint of events.
    ///
    /// - Configuration keys: `EVENTS_URL`, `EVENTS_SECRET`.
    init?(reader: Settings) throws(CommandError) {
        guard let url = try reader.string(.eventsURL) else { return nil }
        try self.init(url: url, secrets: try reader.required(.eventsSecret))
    }
}

extension BatchingConfiguration {
    /// Reads the limits for batches of bookings.
    ///
    /// - Configuration keys: `BOOKING_BATCH_LIMIT`, `BOOKING_WORKERS`, `BOOKING_QUEUE_LIMIT`, `BOOKING_QUEUE_TIMEOUT`.
    init(reader: Settings) throws(CommandError) {
        self.init(
            batchLimit: try reader.integer(.bookingGroupLimit, in: 1...1_000),
            workers: try reader.integer(.bookingWorkers, in: 1...100),
            queueLimit: try reader.integer(.bookingQueueLimit, in: 1...1_000_000),
            patience: .seconds(try reader.integer(.bookingQueuePatience, in: 1...600))
        )
    }
}

extension Settings {
    /// Reads `RECONCILE_MAXIMUM_GRANTS`: the maximum number of missing grants that a reconciliation repairs without
    /// confirmation.
    func reconcileMaximumGrants() throws(CommandError) -> Int {
        try self.integer(.reconcileMaximumGrants, in: 0...1_000_000)
    }
}

extension StudioTimeZone {
    /// Reads the studio's time zone.
    ///
    /// - Configuration keys: `STUDIO_TIME_ZONE`.
    init(reader: Settings) throws(CommandError) {
        guard let zone = Self(try reader.required(.studioTimeZone)) else {
            throw ConfigurationKey.studioTimeZone.refused(
                "must be UTC or an IANA name with an area, such as Europe/Berlin."
            )
        }
        self = zone
    }
}
