import CommandOutput
import Wallet

/// The configuration keys of background work: batches of bookings, outgoing events, retries and reconciliation.
extension ConfigurationKey {
    static let bookingGroupLimit = Self(
        "BOOKING_BATCH_LIMIT",
        .fallback("32"),
        "Maximum bookings and cancellations that one statement decides; 1 decides each separately."
    )
    static let bookingWorkers = Self(
        "BOOKING_WORKERS",
        .fallback("1"),
        "Maximum concurrent batches of bookings. More workers make batches smaller; each uses a connection."
    )
    static let bookingQueueLimit = Self(
        "BOOKING_QUEUE_LIMIT",
        .fallback("4096"),
        "Maximum bookings and cancellations that wait for a batch; more are answered 503 overloaded."
    )
    static let bookingQueuePatience = Self(
        "BOOKING_QUEUE_PATIENCE",
        .fallback("5"),
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
        "EVENTS_KEPT_DAYS",
        .fallback("30"),
        "Days for which processed messages and events are kept. They are dropped by whole weeks, so up to seven days "
            + "later. A week with an undelivered event is kept."
    )
    static let quarantineKeptDays = Self(
        "QUARANTINE_KEPT_DAYS",
        .fallback("90"),
        "Days for which a store's message that failed too often or cannot be read is kept. After that it is given up."
    )
    static let reconcileInterval = Self(
        "RECONCILE_INTERVAL",
        .fallback("86400"),
        "Seconds between two comparisons with the stores; 0 disables them on this instance."
    )
    static let reconcileMaximumGrants = Self(
        "RECONCILE_MAXIMUM_GRANTS",
        .fallback("20"),
        "Maximum missing grants that a reconciliation repairs without confirmation."
    )

    static let sweepInterval = Self(
        "SWEEP_INTERVAL",
        .fallback("60"),
        "Seconds between two rounds that post due expiries and end bookings whose unlimited plan has ended; 0 disables "
            + "them on this instance. Balances are correct without them, but those bookings stay and streams report no "
            + "expiry."
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
        eventsURL, eventsSecret, sweepInterval, sumsInterval, reportsInterval, studioInterval, workInterval,
        eventsKeptDays, quarantineKeptDays, reconcileInterval, reconcileMaximumGrants,
    ]
}

/// The intervals and limits of the background jobs.
struct WorkConfiguration: Sendable {
    var sweepInterval: Duration?
    var sumsInterval: Duration?
    var reportsInterval: Duration?
    var studioInterval: Duration?
    var workInterval: Duration?
    var reconcileInterval: Duration?
    var historyInterval: Duration?
    var reconcileMaximumGrants = 20
    var eventsKeptDays = 30
    var quarantineKeptDays = 90
    var events: EventEndpoint?
}

extension Settings {
    /// Returns the configuration of background work.
    func work() throws(CommandError) -> WorkConfiguration {
        WorkConfiguration(
            sweepInterval: try self.interval(.sweepInterval),
            sumsInterval: try self.interval(.sumsInterval),
            reportsInterval: try self.interval(.reportsInterval),
            studioInterval: try self.interval(.studioInterval),
            workInterval: try self.interval(.workInterval),
            reconcileInterval: try self.interval(.reconcileInterval),
            historyInterval: try self.interval(.appStoreHistoryInterval),
            reconcileMaximumGrants: try self.integer(.reconcileMaximumGrants, in: 0...1_000_000),
            eventsKeptDays: try self.integer(.eventsKeptDays, in: 1...3_660),
            quarantineKeptDays: try self.integer(.quarantineKeptDays, in: 1...3_660),
            events: try self.events()
        )
    }

    private func events() throws(CommandError) -> EventEndpoint? {
        guard let url = try self.string(.eventsURL) else { return nil }
        return try EventEndpoint(url: url, secrets: try self.required(.eventsSecret))
    }

    /// Returns the settings for batches of bookings.
    func batching() throws(CommandError) -> BatchingConfiguration {
        BatchingConfiguration(
            batchLimit: try self.integer(.bookingGroupLimit, in: 1...1_000),
            workers: try self.integer(.bookingWorkers, in: 1...100),
            queueLimit: try self.integer(.bookingQueueLimit, in: 1...1_000_000),
            patience: .seconds(try self.integer(.bookingQueuePatience, in: 1...600))
        )
    }
}
