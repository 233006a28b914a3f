public import Foundation
import Logging
public import Postgres

extension Wallet {
    /// Returns the wallet clock, the one that rules and signatures go by.
    ///
    /// SQL: `functions/instance/now.sql`.
    ///
    /// - Returns: The instant.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func now() async throws -> Date {
        let instants = try await self.query("SELECT wallet.now() AS now") { row in
            try row.decode("now", as: Date.self)
        }
        guard let instant = instants.first else { throw WalletError(status: 500, slug: "internal-error") }
        return instant
    }

    /// Posts the due expiries of wallets that nobody holds.
    ///
    /// SQL: `functions/ledger/sweep.sql`. Any number of instances may run it at once.
    ///
    /// - Parameter limit: How many wallets at most.
    /// - Returns: How many wallets it swept.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sweep(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.sweep(\(Int32(clamping: limit))) AS swept") { row in
            Int(try row.decode("swept", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Adds what was posted since to the daily sums, which the reports read.
    ///
    /// SQL: `functions/ledger/sum_days.sql`. Any number of instances may run it; one at a time does the work.
    ///
    /// - Parameter limit: How many wallets at most.
    /// - Returns: How many wallets it looked at.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sumDays(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.sum_days(\(Int32(clamping: limit))) AS summed") { row in
            Int(try row.decode("summed", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Makes the reports again that read every purchase or lot, however long that takes.
    ///
    /// SQL: `functions/ledger/refresh_reports.sql`. Any number of instances may run it; one at a time does the work.
    ///
    /// - Returns: Whether this call did.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    @discardableResult
    public func refreshReports() async throws -> Bool {
        do {
            return try await self.pool.withTransaction { connection in
                // The server ends it: at its own deadline the service would only stop to wait.
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

    /// Announces subscriptions that the clock alone has changed, such as those that ended.
    ///
    /// SQL: `functions/subscriptions/sweep_subscriptions.sql`. Any number of instances may run it at once.
    ///
    /// - Parameter limit: How many subscriptions at most.
    /// - Returns: How many it looked at.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func sweepSubscriptions(limit: Int) async throws -> Int {
        let counts = try await self.query(
            "SELECT wallet.sweep_subscriptions(\(Int32(clamping: limit))) AS swept"
        ) { row in Int(try row.decode("swept", as: Int32.self)) }
        return counts.first ?? 0
    }

    /// Cancels bookings that an unlimited plan was to cover and, having ended, does not.
    ///
    /// SQL: `functions/subscriptions/end_unlimited.sql`. Any number of instances may run it at once.
    ///
    /// - Parameter limit: How many wallets at most.
    /// - Returns: How many wallets it looked at.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func endUnlimited(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.end_unlimited(\(Int32(clamping: limit))) AS looked_at") {
            row in
            Int(try row.decode("looked_at", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Gives everything back for bookings of cancelled classes, and sends the events of moved ones.
    ///
    /// SQL: `functions/classes/settle_classes.sql`. Any number of instances may run it at once.
    ///
    /// - Parameter limit: How many bookings at most.
    /// - Returns: How many it dealt with; 0 when nothing is left.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func settleClasses(limit: Int) async throws -> Int {
        let counts = try await self.query("SELECT wallet.settle_classes(\(Int32(clamping: limit))) AS settled") { row in
            Int(try row.decode("settled", as: Int32.self))
        }
        return counts.first ?? 0
    }

    /// Makes the next missing week of the outbox or of processed messages, or drops the oldest that nobody needs.
    ///
    /// SQL: `functions/events/keep_partitions.sql`. Any number of instances may run it at once; one of them does it.
    ///
    /// - Parameter days: How many days a week is kept after its end.
    /// - Returns: What it did; to be called until it is no ``PartitionStep/changed``.
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

    /// Returns whether the database answers and has the schema that this build needs.
    ///
    /// - Returns: Whether requests can be served.
    public func isReady() async -> Bool {
        let state = try? await self.pool.withConnection { connection in
            try await Self.ownSchema.get().check(on: connection)
        }
        return state?.isUsable ?? false
    }

    /// The level of this build; made once, since it hashes every file and probes ask again and again.
    private static let ownSchema = Result { try Migrator(files: sqlFiles, logger: Logger(label: "ready")) }

    /// The SQL that this build carries: migrations, functions, views, rights and seeds.
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

    /// Lists the violations of every invariant in parts, so that no snapshot is held for long: those of a range of
    /// accounts at a time, then those that are no account's.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Parameters:
    ///   - accounts: How many accounts make a part.
    ///   - progress: Called after each part with how many accounts of how many have been looked at.
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

/// What one call of ``Wallet/keepPartitions(days:)`` did.
public enum PartitionStep: Sendable, Equatable {
    /// A week was made or dropped; there may be more to do.
    case changed
    /// There is nothing to do, or another instance does it.
    case nothing
    /// Some transaction held the table for too long to wait for it: to be tried again later.
    case inTheWay
}

/// One place where the books are not what the rules make them.
public struct Violation: Sendable, Equatable {
    /// The invariant that is broken.
    public var invariant: String
    /// Which wallets, where only some are to blame.
    public var environment: WalletEnvironment?
    /// The account, where one is to blame.
    public var accountID: Int64?
    /// The ledger version, where one is to blame.
    public var version: Int64?
    /// What is wrong; names no user.
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
