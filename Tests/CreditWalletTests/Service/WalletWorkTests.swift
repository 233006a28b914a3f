import Foundation
import Postgres
import StoreSync
import Stores
import Synchronization
import TestSupport
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet

@Suite struct WalletWorkTests {
    private func work(on bench: StoreBench) throws -> BackgroundJobs {
        let clients = try bench.clients()
        return BackgroundJobs(
            wallet: bench.wallet,
            inbox: try bench.inbox(),
            acknowledger: clients.googlePlay.map {
                Acknowledger(wallet: bench.wallet, googlePlay: $0, logger: .silent)
            },
            dispatcher: nil,
            reconciler: try bench.reconciler(),
            configuration: WorkConfiguration(
                sweepInterval: .seconds(1),
                studioInterval: .seconds(1),
                workInterval: .seconds(1),
                reconcileInterval: .seconds(86_400)
            ),
            logger: .silent
        )
    }

    @Test(.database) func `several instances do all work exactly once`() async throws {
        try await StoreBench.run { bench in
            for user in ["ann", "bob", "cid"] {
                _ = try await bench.buy(StoreBench.plan, for: user)
                _ = try await bench.buy("singleVisit", for: user)
                try await bench.applyRevenueCat(of: user)
            }
            let play = try await bench.buy(for: "dan", ["store": "play_store"])
            let fact = try await bench.playFact(of: play)
            _ = try await bench.wallet.apply(fact, submittedBy: UserID(rawValue: "dan"))
            #expect(try await bench.wallet.unacknowledged(limit: 10).count == 1)
            try await bench.query("SELECT wallet.advance_clock(INTERVAL '31 days')")

            let instances = try (0..<4).map { _ in try self.work(on: bench) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for rounds in instances.flatMap(\.rounds) { group.addTask { try await rounds.work() } }
                try await group.waitForAll()
            }

            let news = try await bench.text(
                """
                SELECT string_agg(concat(o.type, ' ', o.count), ', ' ORDER BY o.type) AS text
                FROM (
                    SELECT o.type, count(*) AS count FROM wallet.outbox AS o
                    WHERE o.type IN ('subscription.expired', 'credits.expired') GROUP BY o.type
                ) AS o
                """
            )
            #expect(
                news == "credits.expired 6, subscription.expired 3" || news == "subscription.expired 3",
                "\(news ?? "")"
            )
            let lapses = try await bench.text(
                "SELECT count(*)::text AS text FROM wallet.entries AS e WHERE e.kind = 'lapse'"
            )
            #expect(lapses == "6")
            #expect(try await bench.wallet.unacknowledged(limit: 10).isEmpty)
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `any number of leftovers is removed in one round`() async throws {
        try await StoreBench.run { bench in
            try await bench.query(
                """
                INSERT INTO wallet.deliveries (event_id, event_at, status, next_attempt_at, delivered_at)
                SELECT -n, wallet.now() - INTERVAL '31 days', 'delivered', wallet.now(), wallet.now() - INTERVAL '31 days'
                FROM generate_series(1, 2500) AS n
                """
            )
            for number in 1...3 {
                try await bench.wallet.quarantine("{}", from: .revenueCat, id: "raw \(number)", reason: "unreadable")
            }
            try await bench.query("UPDATE wallet.inbox SET received_at = wallet.now() - INTERVAL '91 days'")
            let leftovers = try #require(try self.work(on: bench).rounds.first { $0.name == "leftovers" })
            try await leftovers.work()
            #expect(try await bench.text("SELECT count(*)::text AS text FROM wallet.deliveries") == "0")
            #expect(try await bench.text("SELECT count(*)::text AS text FROM wallet.inbox") == "0")
        }
    }

    @Test(.database) func `disabled work does not run`() async throws {
        try await StoreBench.run { bench in
            let none = BackgroundJobs(
                wallet: bench.wallet,
                inbox: try bench.inbox(),
                acknowledger: nil,
                dispatcher: nil,
                reconciler: try bench.reconciler(),
                configuration: WorkConfiguration(),
                logger: .silent
            )

            #expect(none.rounds.isEmpty)
            #expect(
                try self.work(on: bench).rounds.map(\.name) == [
                    "expiries", "warnings", "subscriptions", "unlimited plans", "waitlists", "classes", "series",
                    "messages", "leftovers", "reconciliation",
                ]
            )
        }
    }

    @Test(.timeLimit(.minutes(10))) func `rounds survive a failure, keep their delay and end with the service`() async {
        struct Failure: Error {}
        let counts = Mutex<[String: Int]>([:])
        func rounds(_ name: String, delay: Duration, _ work: @escaping @Sendable () async throws -> Void) -> PeriodicJob
        {
            PeriodicJob(name: name, interval: .milliseconds(20), delay: delay, logger: .silent) {
                counts.withLock { $0[name, default: 0] += 1 }
                try await work()
            }
        }
        let all = [
            rounds("failing", delay: .zero) { throw Failure() },
            rounds("slow", delay: .zero) { try await Task.sleep(for: .seconds(3_600)) },
            rounds("late", delay: .seconds(3_600)) {},
        ]
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                for rounds in all { group.addTask { try? await rounds.run() } }
            }
        }
        while counts.withLock({ $0["failing", default: 0] }) < 3 { try? await Task.sleep(for: .milliseconds(10)) }
        running.cancel()
        await running.value

        #expect(counts.withLock { $0["slow"] } == 1)
        #expect(counts.withLock { $0["late"] } == nil)
    }
}
