import Foundation
import Postgres
import Stores
import TestSupport
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet

@Suite struct InboxWorkTests {
    /// A message in which the App Store tells of a purchase and names its buyer by account token only.
    private func told(_ id: String, token: String, at now: Date) -> StoreEvent {
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

    @Test(.database) func `a question that the store cannot answer now is asked again, and applied once`() async throws
    {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            try await bench.query("SELECT wallet.account_for(\(user))")
            let sale = try await bench.buy(for: user, ["store": "play_store", "app_account_token": user])
            let token = try #require(sale.purchaseToken)
            var event = StoreEvent(source: .googlePlay, id: "rtdn-1", type: "ONE_TIME_PRODUCT_PURCHASED")
            event.question = StoreEvent.Question(
                kind: .product,
                productID: StoreBench.starter,
                purchaseToken: token,
                at: .now
            )
            try await bench.control("faults", ["target": "play", "status": 503, "count": 1_000])
            try await bench.inbox().take(event)
            #expect(try await self.status(on: bench)?.hasPrefix("failed") == true)
            #expect(try await self.status(on: bench)?.contains(token) == false)
            #expect(try await bench.credits(of: user) == "0")
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

    @Test(.database) func `what waits for a user is applied as soon as the user is seen, however long it waited`()
        async throws
    {
        try await StoreBench.run { bench in
            let user = UUID().uuidString
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.told("77", token: user, at: now))
            #expect(try await self.status(on: bench) == "parked unknown-user")
            try await bench.query("UPDATE wallet.inbox SET next_attempt_at = wallet.now() + INTERVAL '1 day'")
            #expect(try await bench.inbox().work(limit: 10) == 0)

            // Any request of the user's is enough.
            try await bench.wallet.admit(
                Caller(UserID(rawValue: user.lowercased()), issuedAt: .now, isAnonymous: false)
            )
            #expect(try await bench.inbox().work(limit: 10) == 1)
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user.lowercased()) == "25")
        }
    }

    @Test(.database) func `what waits is tried again by itself, at first within seconds`() async throws {
        try await StoreBench.run { bench in
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.told("78", token: UUID().uuidString, at: now))
            for pause in [5.0, 10, 20, 40] {
                try await bench.query("SELECT wallet.advance_clock(make_interval(secs => \(pause)))")
                #expect(try await bench.inbox().work(limit: 10) == 1, "after \(pause) s")
            }
        }
    }

    @Test(.database) func `an administrator replays what was given up`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            let now = try await bench.wallet.now()
            try await bench.inbox().take(self.told("79", token: user, at: now))
            try await bench.query(
                """
                UPDATE wallet.inbox SET status = 'parked', reason = 'WL422', attempts = 20, next_attempt_at = NULL
                """
            )
            // The reason why it failed is gone meanwhile.
            try await bench.query("SELECT wallet.account_for(\(user))")
            #expect(try await bench.inbox().work(limit: 10) == 0)

            try await bench.query("UPDATE admin.webhook_inbox SET status = 'new'")
            #expect(try await bench.inbox().work(limit: 10) == 1)
            #expect(try await self.status(on: bench) == "processed")
            #expect(try await bench.credits(of: user) == "25")
        }
    }

    @Test(.database) func `what is done with goes after its days, what waits stays`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            try await bench.query("SELECT wallet.account_for(\(user))")
            let now = try await bench.wallet.now()
            let done = self.told("80", token: user, at: now)
            try await bench.inbox().take(done)
            try await bench.inbox().take(self.told("81", token: UUID().uuidString, at: now))
            while try await bench.wallet.keepPartitions(days: 30) == .changed {}
            #expect(try await bench.text("SELECT count(*)::text AS text FROM admin.webhook_inbox") == "2")

            // The week of the message is over at most 7 days later.
            try await bench.query("SELECT wallet.advance_clock(INTERVAL '38 days')")
            while try await bench.wallet.keepPartitions(days: 30) == .changed {}
            #expect(try await self.status(on: bench) == "parked unknown-user")

            // A store that repeats itself after that finds the books as they are.
            try await bench.inbox().take(done)
            #expect(try await bench.credits(of: user) == "25")
        }
    }
}
