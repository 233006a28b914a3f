import Foundation
import Postgres
import StoreSync
import Stores
import TestSupport
import Testing
import Wallet

@testable import CreditWallet

@Suite struct InboxWorkTests {
    /// Returns a message in which the App Store reports a purchase and identifies its buyer by account token only.
    private func purchaseMessage(_ id: String, token: String, at now: Date) -> StoreEvent {
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: id,
            storeProductID: StoreBench.starter,
            kind: .oneTime,
            purchasedAt: now,
            source: .notification,
            sourceAt: now
        )
        fact.appAccountToken = UUID(uuidString: token)
        return StoreEvent(
            source: .appStore,
            id: "event-\(id)",
            type: "ONE_TIME_CHARGE",
            statements: [.init(fact: fact)]
        )
    }

    private func status(on bench: StoreBench) async throws -> String? {
        try await bench.text(
            "SELECT string_agg(concat_ws(' ', i.status, i.reason), ',') AS text FROM admin.webhook_inbox AS i"
        )
    }

    private func makeDue(on bench: StoreBench) async throws {
        try await bench.query(
            "UPDATE wallet.inbox SET next_attempt_at = wallet.now() WHERE next_attempt_at IS NOT NULL"
        )
    }

    @Test(.database) func `a query that the store cannot answer is retried, and applied once`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            try await bench.query("SELECT wallet.account_for(\(user))")
            let sale = try await bench.buy(for: user, ["store": "play_store", "app_account_token": user])
            let token = try #require(sale.purchaseToken)
            var event = StoreEvent(source: .googlePlay, id: "rtdn-1", type: "ONE_TIME_PRODUCT_PURCHASED")
            event.question = StoreEvent.Lookup(
                kind: .product,
                productID: StoreBench.starter,
                purchaseToken: token,
                at: .now
            )
            try await bench.control("faults", ["target": "play", "status": 503, "count": 1_000])
            try await bench.inbox().take(event)
            // A busy machine may need longer for the lookup than the call waits.
            try await eventually("the message failed") { try await self.status(on: bench)?.hasPrefix("failed") == true }
            #expect(try await self.status(on: bench)?.contains(token) == false)
            #expect(try await bench.credits(of: user) == "0")
            let pause = try #require(
                try await bench.text(
                    "SELECT extract(EPOCH FROM next_attempt_at - received_at)::text AS text FROM admin.webhook_inbox"
                )
            )
            // The first retry is due after 5 seconds, or up to a quarter sooner. A busy machine may be here later.
            #expect(try #require(Double(pause)) >= 3.75)
            try await bench.query("UPDATE wallet.inbox SET next_attempt_at = wallet.now() + INTERVAL '1 day'")
            #expect(try await bench.inbox().work(limit: 10) == 0, "not before its time")

            try await bench.clearFaults()
            try await self.makeDue(on: bench)
            let instances = [try bench.inbox(), try bench.inbox()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for inbox in instances { group.addTask { _ = try await inbox.work(limit: 10) } }
                try await group.waitForAll()
            }
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user) == "25")
            try await self.makeDue(on: bench)
            #expect(try await bench.inbox().work(limit: 10) == 0)
            #expect(try await bench.credits(of: user) == "25")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a message that waits for a user is applied when the user appears, however late`()
        async throws
    {
        try await StoreBench.run { bench in
            let user = UUID().uuidString
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.purchaseMessage("77", token: user, at: now))
            #expect(try await self.status(on: bench) == "awaiting_user unknown-user")
            try await bench.query("UPDATE wallet.inbox SET next_attempt_at = wallet.now() + INTERVAL '1 day'")
            #expect(try await bench.inbox().work(limit: 10) == 0)

            // Any request of the user is enough.
            try await bench.wallet.admit(
                Caller(UserID(rawValue: user.lowercased()), issuedAt: .now, isAnonymous: false)
            )
            #expect(try await bench.inbox().work(limit: 10) == 1)
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user.lowercased()) == "25")
        }
    }

    @Test(.database) func `a waiting message is retried automatically, at first within seconds`() async throws {
        try await StoreBench.run { bench in
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.purchaseMessage("78", token: UUID().uuidString, at: now))
            for pause in [5.0, 10, 20, 40] {
                try await bench.query("SELECT wallet.advance_clock(make_interval(secs => \(pause)))")
                #expect(try await bench.inbox().work(limit: 10) == 1, "after \(pause) s")
            }
        }
    }

    /// Queues a query about a purchase of a known user, and returns the inbox that sends it.
    private func ask(_ bench: StoreBench, for user: String) async throws -> Inbox {
        try await bench.query("SELECT wallet.account_for(\(user))")
        let sale = try await bench.buy(for: user, ["store": "play_store", "app_account_token": user])
        var event = StoreEvent(source: .googlePlay, id: "rtdn-\(user)", type: "ONE_TIME_PRODUCT_PURCHASED")
        event.question = StoreEvent.Lookup(
            kind: .product,
            productID: StoreBench.starter,
            purchaseToken: try #require(sale.purchaseToken),
            at: .now
        )
        let inbox = try bench.inbox()
        try await inbox.take(event)
        return inbox
    }

    /// Advances the clock in steps, with a round of work after each step.
    private func pass(_ seconds: Int, every step: Int, on bench: StoreBench, _ inbox: Inbox) async throws {
        for _ in 0..<(seconds / step) {
            try await bench.query("SELECT wallet.advance_clock(make_interval(secs => \(Double(step))))")
            _ = try await inbox.work(limit: 10)
        }
    }

    @Test(
        .database,
        arguments: [
            (fault: ["status": 503] as [String: any Sendable], seconds: 600, step: 5),
            (fault: ["status": 404, "body": "<html><body>Not here</body></html>"], seconds: 3_600, step: 60),
        ]
    )
    func `a long store outage loses no message`(
        outage: (fault: [String: any Sendable], seconds: Int, step: Int)
    ) async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            let fault: [String: any Sendable] = ["target": "play", "count": 1_000_000]
            try await bench.control("faults", fault.merging(outage.fault) { $1 })
            let inbox = try await self.ask(bench, for: user)
            try await self.pass(outage.seconds, every: outage.step, on: bench, inbox)
            #expect(try await self.status(on: bench)?.hasPrefix("failed") == true)
            let left = try #require(
                try await bench.text("SELECT (20 - i.attempts)::text AS text FROM admin.webhook_inbox AS i")
            )
            #expect(try #require(Int(left)) > 5, "as many attempts are left for a longer outage")

            // Another instance works here; its circuit breaker is closed.
            try await bench.clearFaults()
            try await self.pass(3_600, every: 1_200, on: bench, bench.inbox())
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user) == "25")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a quarantined message is retried automatically, and dropped after its retention`()
        async throws
    {
        try await StoreBench.run { bench in
            let (user, gone) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
            try await bench.control("faults", ["target": "play", "status": 404, "count": 1_000_000])
            let inbox = try await self.ask(bench, for: user)
            try await self.pass(86_400, every: 2_400, on: bench, inbox)
            #expect(try await self.status(on: bench)?.hasPrefix("quarantined StoreError.unavailable") == true)
            try await bench.clearFaults()
            try await self.pass(21_600, every: 21_600, on: bench, inbox)
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user) == "25")

            try await bench.control("faults", ["target": "play", "status": 404, "count": 1_000_000])
            try await self.pass(86_400, every: 2_400, on: bench, self.ask(bench, for: gone))
            try await bench.query("SELECT wallet.advance_clock(INTERVAL '88 days')")
            #expect(try await bench.wallet.dropQuarantined(olderThan: 90, limit: 10) == 0)
            try await bench.query("SELECT wallet.advance_clock(INTERVAL '2 days')")
            #expect(try await bench.wallet.dropQuarantined(olderThan: 90, limit: 10) == 1)
            #expect(try await self.status(on: bench)?.contains("ignored given up: StoreError.unavailable") == true)
        }
    }

    @Test(.database) func `an administrator replays a message that was given up`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.purchaseMessage("79", token: user, at: now))
            try await bench.query(
                """
                UPDATE wallet.inbox
                SET status = 'awaiting_user', reason = 'WL422', attempts = 20, next_attempt_at = NULL
                """
            )
            // The cause of the failure has disappeared meanwhile.
            try await bench.query("SELECT wallet.account_for(\(user))")
            #expect(try await bench.inbox().work(limit: 10) == 0)

            try await bench.query("UPDATE admin.webhook_inbox SET status = 'new'")
            #expect(try await bench.inbox().work(limit: 10) == 1)
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user) == "25")
        }
    }

    @Test(.database) func `processed messages are dropped after their retention, waiting ones stay`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            try await bench.query("SELECT wallet.account_for(\(user))")
            let now = try await bench.wallet.now()
            let done = self.purchaseMessage("80", token: user, at: now)
            try await bench.inbox().take(done)
            try await bench.inbox().take(self.purchaseMessage("81", token: UUID().uuidString, at: now))
            while try await bench.wallet.keepPartitions(days: 30) == .changed {}
            #expect(try await bench.text("SELECT count(*)::text AS text FROM admin.webhook_inbox") == "2")

            // The partition week of the message ends at most 7 days later.
            try await bench.query("SELECT wallet.advance_clock(INTERVAL '38 days')")
            while try await bench.wallet.keepPartitions(days: 30) == .changed {}
            #expect(try await self.status(on: bench) == "awaiting_user unknown-user")

            // A store that repeats the message after that changes nothing.
            try await bench.inbox().take(done)
            #expect(try await bench.credits(of: user) == "25")
        }
    }
}
