import Postgres

extension Wallet {
    /// Posts the due expiries of wallets; wallets that another transaction holds are skipped.
    ///
    /// SQL: `functions/ledger/sweep.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of wallets.
    /// - Returns: The number of wallets that were swept.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sweep(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.sweep(\(Int32(clamping: limit))) AS count")
    }

    /// Emits warnings of low balances and of lots that expire soon; wallets that another transaction holds are checked
    /// later.
    ///
    /// SQL: `functions/ledger/warn.sql`. Any number of instances may run this at once, with the same thresholds.
    ///
    /// - Parameters:
    ///   - thresholds: The thresholds.
    ///   - limit: The maximum number of wallets.
    /// - Returns: The number of changes or wallets that were processed; less than `limit` if no work is left.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func warn(_ thresholds: WarningThresholds, limit: Int) async throws -> Int {
        let days = Int32(clamping: thresholds.expiryDays)
        return try await self.count(
            """
            SELECT wallet.warn(
                \(Int64(thresholds.lowCredits)), \(Int64(thresholds.lowVisits)),
                make_interval(hours => 24 * nullif(\(days)::integer, 0)), \(Int32(clamping: limit))
            ) AS count
            """
        )
    }

    /// Adds new ledger entries to the daily totals, which the reports read.
    ///
    /// SQL: `functions/operations/reports.sql`. Any number of instances may run this; one at a time does the work.
    ///
    /// - Parameter limit: The maximum number of wallets.
    /// - Returns: The number of wallets that were checked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sumDays(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.sum_days(\(Int32(clamping: limit))) AS count")
    }

    /// Rebuilds the reports that read every purchase or lot; this may take up to an hour.
    ///
    /// SQL: `functions/operations/reports.sql`. Any number of instances may run this; one at a time does the work.
    ///
    /// - Returns: A Boolean value that indicates whether this call did the work.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    @discardableResult
    public func refreshReports() async throws -> Bool {
        do {
            return try await self.pool.withTransaction { connection in
                // This limit ends the statement on the server; the service's own deadline would only stop waiting for
                // it.
                try await connection.query("SELECT set_config('statement_timeout', '1h', TRUE)")
                let rows = try await connection.query(
                    "SELECT wallet.refresh_reports() AS done",
                    timeout: Self.longestReport
                )
                return try rows.first?.decode("done", as: Bool.self) ?? false
            }
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }

    private static let longestReport: Duration = .seconds(3660)

    /// Emits events for subscriptions that changed only because time passed, such as those that ended.
    ///
    /// SQL: `functions/subscriptions/sweep_subscriptions.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of subscriptions.
    /// - Returns: The number of subscriptions that were checked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sweepSubscriptions(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.sweep_subscriptions(\(Int32(clamping: limit))) AS count")
    }

    /// Cancels bookings that an unlimited plan was expected to cover, if the plan has ended.
    ///
    /// SQL: `functions/bookings/end_unlimited.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of pending checks; a wallet may have several.
    /// - Returns: The number of checks that were made.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func endUnlimited(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.end_unlimited(\(Int32(clamping: limit))) AS count")
    }

    /// Refunds the bookings of cancelled classes in full, and sends the events of moved classes.
    ///
    /// SQL: `functions/bookings/settle_classes.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of bookings.
    /// - Returns: The number of bookings that were settled; 0 if no work is left.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func settleClasses(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.settle_classes(\(Int32(clamping: limit))) AS count")
    }

    /// Creates the next classes of a series.
    ///
    /// SQL: `functions/classes/extend_series.sql`. Any number of instances may run this at once; one of them does the
    /// work.
    ///
    /// - Parameter limit: The maximum number of classes.
    /// - Returns: The number of classes that were created; 0 if no work is left.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func extendSeries(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.extend_series(\(Int32(clamping: limit))) AS count")
    }

    /// Creates the next missing weekly partition of the outbox or of the processed messages, or drops the oldest
    /// expired one.
    ///
    /// SQL: `functions/events/partitions.sql`. Any number of instances may run this at once; one of them does the
    /// work.
    ///
    /// - Parameter days: The number of days that a partition is kept after its week.
    /// - Returns: The result; call the method again while it is ``PartitionStep/changed``.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func keepPartitions(days: Int) async throws -> PartitionStep {
        let steps = try await self.query(
            "SELECT wallet.keep_partitions(make_interval(days => \(Int32(clamping: days)))) AS step"
        ) { row in
            switch try row.decode("step", as: Int32.self) {
            case ..<0: PartitionStep.inTheWay
            case 0: PartitionStep.nothing
            default: PartitionStep.changed
            }
        }
        return steps.first ?? .nothing
    }
}

/// When users are warned before their credits run low or expire.
public struct WarningThresholds: Sendable, Equatable {
    /// The number of credits below which a balance is low; 0 for no warning.
    public var lowCredits: Int
    /// The number of visits below which a balance is low; 0 for no warning.
    public var lowVisits: Int
    /// The number of days before an expiry at which its user is warned; 0 for no warning.
    public var expiryDays: Int

    /// Creates thresholds.
    ///
    /// - Parameters:
    ///   - lowCredits: The number of credits below which a balance is low; 0 for no warning.
    ///   - lowVisits: The number of visits below which a balance is low; 0 for no warning.
    ///   - expiryDays: The number of days before an expiry at which its user is warned; 0 for no warning.
    public init(lowCredits: Int = 0, lowVisits: Int = 0, expiryDays: Int = 7) {
        self.lowCredits = lowCredits
        self.lowVisits = lowVisits
        self.expiryDays = expiryDays
    }

    /// A Boolean value that indicates whether any warning is enabled.
    public var areEnabled: Bool { self.lowCredits > 0 || self.lowVisits > 0 || self.expiryDays > 0 }
}

/// The result of one call of ``Wallet/keepPartitions(days:)``.
public enum PartitionStep: Sendable, Equatable {
    /// A partition was created or dropped; there may be more to do.
    case changed
    /// There was nothing to do, or another instance is doing it.
    case nothing
    /// A transaction held the table for too long; try again later.
    case inTheWay
}
