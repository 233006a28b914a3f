import Foundation
import Postgres
import StoreSync
import TestSupport
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet

/// Tests of the weekly partitions of the outbox and of processed messages: created ahead, and dropped when old.
@Suite struct PartitionTests {
    private func work(on bench: StoreBench) throws -> PeriodicJob {
        let work = BackgroundJobs(
            wallet: bench.wallet,
            inbox: try bench.inbox(),
            acknowledger: nil,
            dispatcher: nil,
            reconciler: try bench.reconciler(),
            configuration: WorkConfiguration(workInterval: .seconds(1)),
            logger: .silent
        )
        return try #require(work.rounds.first { $0.name == "leftovers" })
    }

    private func weeks(of table: String, on bench: StoreBench) async throws -> String? {
        try await bench.text(
            """
            SELECT concat(count(*), ' ', bool_and(to_regclass('wallet.' || p.name) IS NOT NULL)) AS text
            FROM wallet.time_partitions AS p WHERE p.table_name = \(table) AND p.to_at > wallet.now()
            """
        )
    }

    @Test(.database) func `the worker creates four weeks ahead and drops old weeks`() async throws {
        try await StoreBench.run { bench in
            _ = try await bench.buy("singleVisit", for: "ann")
            try await bench.applyRevenueCat(of: "ann")
            let rounds = try self.work(on: bench)
            // In the middle of a week, no week ends between the work and its check.
            try await bench.query(
                """
                SELECT wallet.advance_clock(
                    date_trunc('week', wallet.now(), 'UTC') + INTERVAL '9 days 12 hours' - wallet.now()
                )
                """
            )
            try await rounds.work()
            for table in ["outbox", "inbox_done"] { #expect(try await self.weeks(of: table, on: bench) == "5 t") }
            let events: Query = "SELECT count(*)::text AS text FROM wallet.outbox"
            #expect(try await bench.text(events) != "0")

            try await bench.query("SELECT wallet.advance_clock(INTERVAL '38 days')")
            try await rounds.work()
            for table in ["outbox", "inbox_done"] { #expect(try await self.weeks(of: table, on: bench) == "5 t") }
            #expect(try await bench.text(events) == "0")
            #expect(try await bench.text("SELECT count(*)::text AS text FROM wallet.inbox_done") == "0")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a long read of the outbox blocks the worker but no sale`() async throws {
        try await StoreBench.run { bench in
            let reader = try await bench.database.connect()
            defer { reader.close() }
            try await reader.execute(script: "BEGIN; SELECT count(*) FROM wallet.outbox, wallet.inbox_done")

            #expect(try await bench.wallet.keepPartitions(days: 30) == .inTheWay)
            async let step = bench.wallet.keepPartitions(days: 30)
            _ = try await bench.buy("singleVisit", for: "bob")
            try await bench.applyRevenueCat(of: "bob")
            #expect(try await step == .inTheWay)
            try await self.work(on: bench).work()

            try await reader.execute(script: "COMMIT")
            #expect(try await bench.wallet.keepPartitions(days: 30) == .changed)
        }
    }
}
