import Foundation
import Postgres
import StoreSync
import TestSupport
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet

/// The weeks of the outbox and of processed messages: made ahead, dropped when old, and what was there before them.
@Suite struct PartitionTests {
    private func work(on bench: StoreBench) throws -> Rounds {
        let work = WalletWork(
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

    @Test(.database) func `the worker makes four weeks ahead and drops what is old`() async throws {
        try await StoreBench.run { bench in
            _ = try await bench.buy("singleVisit", for: "ann")
            try await bench.hear(of: "ann")
            let rounds = try self.work(on: bench)
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

    @Test(.database) func `whoever reads the outbox for long stops the worker and no sale`() async throws {
        try await StoreBench.run { bench in
            let reader = try await bench.database.connect()
            defer { reader.close() }
            try await reader.execute(script: "BEGIN; SELECT count(*) FROM wallet.outbox, wallet.inbox_done")

            #expect(try await bench.wallet.keepPartitions(days: 30) == .inTheWay)
            async let step = bench.wallet.keepPartitions(days: 30)
            _ = try await bench.buy("singleVisit", for: "bob")
            try await bench.hear(of: "bob")
            #expect(try await step == .inTheWay)
            try await self.work(on: bench).work()

            try await reader.execute(script: "COMMIT")
            #expect(try await bench.wallet.keepPartitions(days: 30) == .changed)
        }
    }

    @Test(.emptyDatabase) func `what was there before the weeks is there after the migration`() async throws {
        let database = try TestDatabase.current
        let files = try SQLFolder.files()
        let released = files.filter { $0.path.hasPrefix("migrations/") && $0.path < "migrations/0013" }
        _ = try await Migrator(files: released, logger: .silent).migrate(url: database.url)
        let connection = try await database.connect()
        defer { connection.close() }
        try await connection.execute(script: Self.filled)

        _ = try await Migrator(files: files, logger: .silent).migrate(url: database.url)
        try await connection.execute(script: "SELECT wallet.mark_dev(); SELECT wallet.keep_partitions(NULL)")
        let events = try await connection.query(
            "SELECT concat_ws(' ', o.tableoid::regclass, o.event_id, o.at) AS text FROM wallet.outbox AS o ORDER BY o.at"
        )
        #expect(
            try events.map { try $0.decode("text", as: String.self) } == [
                "wallet.outbox_before 1 2020-01-01 00:00:00+00", "wallet.outbox_before 2 2040-01-01 00:00:00+00",
            ]
        )
        let messages = try await connection.query(
            """
            SELECT concat_ws(' ', i.inbox_id, i.source_event_id, i.status, i.processed_at::date) AS text
            FROM admin.webhook_inbox AS i ORDER BY i.inbox_id
            """
        )
        #expect(
            try messages.map { try $0.decode("text", as: String.self) } == [
                "1 done processed 2020-02-01", "2 ignored ignored 2020-01-01", "3 waiting parked", "4 again new",
            ]
        )
        let again = try await connection.query(
            """
            SELECT concat_ws(' ', n.id, o.inbox_id, o.status, o.duplicate) AS text
            FROM unnest(ARRAY['done', 'ignored', 'new one']) AS n (id),
                wallet.receive_event('app_store', n.id, 'x', '{"ignored": "test"}') AS o ORDER BY n.id
            """
        )
        #expect(
            try again.map { try $0.decode("text", as: String.self) }
                .filter { $0.hasPrefix("done") || $0.hasPrefix("ignored") } == [
                    "done 1 processed t", "ignored 2 ignored t",
                ]
        )
    }

    /// What a database of the last release may hold; the last event is from a clock that was ahead.
    private static let filled = """
        SET timezone = 'UTC';
        INSERT INTO wallet.outbox (type, account_id, environment, at)
        VALUES ('a', 1, 'production', '2020-01-01'), ('b', 1, 'production', '2040-01-01');
        INSERT INTO wallet.inbox (source, source_event_id, payload, status, received_at, processed_at) VALUES
            ('app_store', 'done', '{}', 'processed', '2020-01-01', '2020-02-01'),
            ('app_store', 'ignored', '{}', 'ignored', '2020-01-01', NULL),
            ('app_store', 'waiting', '{}', 'parked', '2020-01-01', NULL),
            ('app_store', 'again', '{}', 'new', '2020-01-01', NULL);
        """
}
