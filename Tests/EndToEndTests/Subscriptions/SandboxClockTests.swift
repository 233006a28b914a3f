import Foundation
import TestSupport
import Testing
import WalletClient

/// Tests of the sandbox clock as a developer uses it: time passes, and the stores and the studio continue.
///
/// Every test moves the clock, so the tests run one after the other.
@Suite(.liveWallet, .showingLog, .serialized) struct SandboxClockTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test(arguments: ["app_store", "play_store"])
    func `after forty days a plan is active, and all routes agree on its renewal`(store: String) async throws {
        let user = try self.wallet.user("lasting")
        let sale = try await self.wallet.store.buy(
            SandboxStore.enthusiastPlan,
            for: user.id,
            ["store": .string(store)]
        )
        if store == "play_store" {
            try await eventually("the subscription is acknowledged") {
                try self.wallet.storesRecord(of: sale)?["acknowledgedAt"] != nil
            }
        }
        try await self.wallet.store.advanceClock(days: 40, renewing: true)

        let overview = try await user.client.subscriptions()
        #expect(overview.subscriptions.map(\.status) == ["active"])
        #expect(overview.subscriptions.first?.willRenew == true)
        #expect(overview.entitlements["premium"]?.willRenew == true)
        // 10 visits of the second period, plus half of the 10 that remained of the first after they lapsed.
        try await eventually("what was left of the first period is carried over") {
            try await user.client.balance().visits == 15
        }

        try await self.wallet.store.advanceClock(days: 40)
        let ended = try await user.client.subscriptions()
        #expect(ended.subscriptions.map(\.status) == ["expired"])
        #expect(ended.subscriptions.first?.willRenew == false)
        #expect(ended.entitlements["premium"]?.willRenew == false)
        try await self.wallet.expectIntactBooks()
    }

    @Test func `a week later there are demo classes again`() async throws {
        let user = try self.wallet.user("reader")
        func classes() async throws -> [String] {
            let answer = try await user.send(.get, "/classes")
            return answer["classes"]?.items.compactMap { $0["class_id"]?.stringValue } ?? []
        }
        let before = try await classes().filter { $0.hasPrefix("demo-") }
        try await self.wallet.store.advanceClock(days: 7, renewing: true)
        // The clock moved outside the service, whose list may be a second old.
        try await eventually("the next week's classes are listed") {
            let after = try await classes().filter { $0.hasPrefix("demo-") }
            return after.count >= 5 && Set(after).isDisjoint(with: before)
        }
    }

    @Test func `a product that an operator creates is sold at once, by its period`() async throws {
        let id = "e2e.weekly.\(UUID().uuidString.lowercased())"
        let user = try self.wallet.user("weekly")
        let put = try await self.wallet.operate(
            .put,
            "/operator/products/\(id)",
            [
                "kind": "plan", "name": "Weekly", "unit": "visit", "amount": 2, "tier": 1, "period": "P1W",
                "entitlements": ["premium"], "price": ["amount": 9, "currency": "USD"],
                "store_ids": ["app_store": .string(id)],
            ]
        )
        try #require(put.outcome == "200")
        _ = try await self.wallet.store.buy(id, for: user.id)
        #expect(try await user.client.balance().visits == 2)
        try await self.wallet.store.advanceClock(days: 8, renewing: true)
        let plan = try #require(try await user.client.subscriptions().subscriptions.first)
        #expect(plan.status == "active")
        #expect(plan.currentPeriodEnd.timeIntervalSince(plan.currentPeriodStart) == 7 * 86_400)
    }
}
