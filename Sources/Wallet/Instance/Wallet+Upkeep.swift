public import Foundation
import Logging
public import Postgres

extension Wallet {
    /// Returns the time of the wallet clock, which rules and signatures use.
    ///
    /// SQL: `functions/instance/clock.sql`.
    ///
    /// - Returns: The time.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func now() async throws -> Date {
        let instants = try await self.query("SELECT wallet.now() AS now") { row in
            try row.decode("now", as: Date.self)
        }
        guard let instant = instants.first else { throw WalletError(status: 500, slug: "internal-error") }
        return instant
    }

    /// Posts the due expiries of wallets; wallets that another transaction holds are skipped.
    ///
    /// SQL: `functions/ledger/sweep.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of wallets.
    /// - Returns: The number of wallets that were swept.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sweep(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.sweep(\(Int32(clamping: limit))) AS swept") { row in
            Int(try row.decode("swept", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Adds new ledger entries to the daily totals, which the reports read.
    ///
    /// SQL: `functions/operations/reports.sql`. Any number of instances may run this; one at a time does the work.
    ///
    /// - Parameter limit: The maximum number of wallets.
    /// - Returns: The number of wallets that were checked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sumDays(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.sum_days(\(Int32(clamping: limit))) AS summed") { row in
            Int(try row.decode("summed", as: Int32.self))
        }
        return counts.first ?? 0
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
        let counts = try await self.query(
            "SELECT wallet.sweep_subscriptions(\(Int32(clamping: limit))) AS swept"
        ) { row in Int(try row.decode("swept", as: Int32.self)) }
        return counts.first ?? 0
    }

    /// Cancels bookings that an unlimited plan was expected to cover, if the plan has ended.
    ///
    /// SQL: `functions/bookings/end_unlimited.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of pending checks; a wallet may have several.
    /// - Returns: The number of checks that were made.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func endUnlimited(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.end_unlimited(\(Int32(clamping: limit))) AS looked_at") {
            row in
            Int(try row.decode("looked_at", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Refunds the bookings of cancelled classes in full, and sends the events of moved classes.
    ///
    /// SQL: `functions/bookings/settle_classes.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter limit: The maximum number of bookings.
    /// - Returns: The number of bookings that were settled; 0 if no work is left.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func settleClasses(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.settle_classes(\(Int32(clamping: limit))) AS settled") { row in
            Int(try row.decode("settled", as: Int32.self))
        }
        return counts.first ?? 0
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

    /// Returns whether the database answers and has the schema that this build requires.
    ///
    /// - Returns: A Boolean value that indicates whether the service can serve requests.
    public func isReady() async -> Bool {
        let state = try? await self.pool.withConnection { connection in
            try await Self.ownSchema.get().check(on: connection)
        }
        return state?.isUsable ?? false
    }

    /// The migrator of this build; created once, because it hashes every file and probes need it often.
    private static let ownSchema = Result { try Migrator(files: sqlFiles, logger: Logger(label: "ready")) }

    /// The SQL files of this build: migrations, functions, views, grants and seeds.
    public static var sqlFiles: [SQLFile] {
        EmbeddedSQL.files.map { SQLFile(path: $0.path, contents: $0.contents) }
    }

    /// Lists every violation of every invariant; an intact database has none.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Returns: The violations, at most 1,000.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func violations() async throws -> [Violation] {
        try await self.query(
            """
            SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
            FROM wallet.violations AS v
            ORDER BY v.name, v.environment, v.account_id, v.version
            LIMIT 1000
            """,
            Violation.init
        )
    }

    /// Lists the violations of every invariant in parts, so that no snapshot lasts long.
    ///
    /// Each part covers a range of accounts; the last part covers violations without an account.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Parameters:
    ///   - accounts: The number of accounts in a part.
    ///   - progress: Called after each part with the number of checked accounts and the total number.
    /// - Returns: The violations, at most 1,000.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func violations(
        byAccounts accounts: Int64,
        progress: (_ done: Int64, _ total: Int64) -> Void
    ) async throws -> [Violation] {
        let ranges = try await self.query(
            "SELECT coalesce(r.first, 1) AS first, coalesce(r.last, 0) AS last FROM wallet.account_range AS r"
        ) { row in (first: try row.decode("first", as: Int64.self), last: try row.decode("last", as: Int64.self)) }
        var violations: [Violation] = []
        guard let range = ranges.first else { return violations }
        for first in stride(from: range.first, through: range.last, by: Int64.Stride(accounts)) {
            let last = min(first + accounts - 1, range.last)
            violations += try await self.query(
                """
                SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
                FROM wallet.violations AS v
                WHERE v.account_id BETWEEN \(first) AND \(last)
                LIMIT 1000
                """,
                Violation.init
            )
            guard violations.count < 1_000 else { return Array(violations.prefix(1_000)) }
            progress(last - range.first + 1, range.last - range.first + 1)
        }
        return violations
            + (try await self.query(
                """
                SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
                FROM wallet.violations AS v
                WHERE v.account_id IS NULL
                LIMIT 1000
                """,
                Violation.init
            ))
    }
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

/// A violation of an invariant in the books.
public struct Violation: Sendable, Equatable {
    /// The violated invariant.
    public var invariant: String
    /// The environment of the affected wallets, if it is known.
    public var environment: WalletEnvironment?
    /// The affected account, if there is one.
    public var accountID: Int64?
    /// The affected ledger version, if there is one.
    public var version: Int64?
    /// A description of the violation that names no user.
    public var detail: String
}

extension Violation {
    init(_ row: Row) throws {
        self.init(
            invariant: try row.decode("name"),
            environment: try row.decode("environment", as: String?.self).flatMap(WalletEnvironment.init(rawValue:)),
            accountID: try row.decode("account_id"),
            version: try row.decode("version"),
            detail: try row.decode("detail")
        )
    }
}
