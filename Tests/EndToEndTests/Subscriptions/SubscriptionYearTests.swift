import Foundation
import TestSupport
import Testing
import WalletClient

extension ToldWalletTests {
    /// Tests of a year of a monthly subscription by the stores' clock, reported by the selling store and by
    /// RevenueCat.
    ///
    /// The plan grants 10 visits a month; half of the lapsed visits roll over into the next month.
    @Suite struct SubscriptionYearTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("subscriber")
        }

        @Test(.timeLimit(.minutes(10)), arguments: ["app_store", "play_store"])
        func `a year of a subscription, reported by its store and RevenueCat, counts once`(
            store: String
        ) async throws {
            let sale = try await self.buy(at: store)
            try await self.expect("active", visits: 10)
            for _ in 0..<2 { _ = try await self.user.client.book(classID: self.wallet.makeClass(visits: 1)) }
            try await self.expect("active", visits: 8)
            var months: [Duration] = []
            for month in 1...12 {
                let began = ContinuousClock.now
                try await self.wallet.store.advanceClock(days: 30, seconds: 5)
                try await self.expect("expired", visits: 0)
                try await self.wallet.store.change(sale, "renew")
                try await self.expect("active", visits: month == 1 ? 14 : 15)
                months.append(ContinuousClock.now - began)
            }
            #expect(try await self.user.booked("grant") == (13, 130))
            #expect(try await self.user.booked("rollover") == (12, 4 + 11 * 5))
            // A busy machine may take longer, but not in every month. The last months have the longest history.
            #expect(try #require(months.suffix(6).min()) < .seconds(20))

            try await self.goThroughGrace(sale)
            try await self.cancelAndExpire(sale)
            let messages = try await self.wallet.store.messages(about: sale)
            #expect(Set(messages.map(\.source)) == [store == "app_store" ? store : "google_play", "revenuecat"])
            #expect(messages.allSatisfy { (200..<300).contains($0.status ?? 0) })
            try await self.expectNothingNew(from: messages.shuffled())
            try await self.wallet.expectIntactBooks()
        }

        /// Makes a renewal fail; access continues, and the payment succeeds after three days.
        private func goThroughGrace(_ sale: SandboxStore.Sale) async throws {
            try await self.wallet.store.advanceClock(days: 30, seconds: 5)
            try await self.wallet.store.change(sale, "billing-issue", ["grace_days": 16])
            try await self.expect("grace", visits: 0, inGrace: true)
            try await self.wallet.store.advanceClock(days: 3)
            try await self.expect("grace", visits: 0, inGrace: true)
            try await self.wallet.store.change(sale, "recover")
            try await self.expect("active", visits: 15)

            try await self.wallet.store.advanceClock(days: 30, seconds: 5)
            try await self.wallet.store.change(sale, "billing-issue")
            try await self.expect("billing_retry", visits: 0)
            try await self.wallet.store.change(sale, "recover")
            try await self.expect("active", visits: 15)
        }

        private func cancelAndExpire(_ sale: SandboxStore.Sale) async throws {
            for (control, willRenew) in [("cancel", false), ("uncancel", true), ("cancel", false)] {
                try await self.wallet.store.change(sale, control)
                try await self.expect("active", visits: 15, willRenew: willRenew)
            }
            try await self.wallet.store.advanceClock(days: 30, seconds: 5)
            try await self.wallet.store.change(sale, "expire")
            try await self.expect("expired", visits: 0, willRenew: false)
            #expect(try await self.user.booked("grant") == (15, 150))
        }

        /// Delivers every earlier message again and expects no change.
        private func expectNothingNew(from messages: [StoreMessage]) async throws {
            let before = try await self.user.standing()
            try await self.wallet.store.deliver(messages)
            #expect(try await self.user.standing() == before)
            try await self.expect("expired", visits: 0, willRenew: false)
        }

        /// Buys the plan; Google Play refunds it after three days unless the wallet acknowledges it.
        private func buy(at store: String) async throws -> SandboxStore.Sale {
            let sale = try await self.wallet.store.buy(
                SandboxStore.enthusiastPlan,
                for: self.user.id,
                ["store": .string(store)]
            )
            guard store == "play_store" else { return sale }
            try await eventually("the subscription is acknowledged") {
                try self.wallet.storesRecord(of: sale)?["acknowledgedAt"] != nil
            }
            return sale
        }

        private func expect(
            _ status: SubscriptionStatus,
            visits: Int64,
            willRenew: Bool = true,
            inGrace: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let overview = try await self.user.client.subscriptions()
            let hasAccess = status == .active || status == .grace
            #expect(overview.subscriptions.map(\.status) == [status], sourceLocation: sourceLocation)
            #expect(overview.tier == (hasAccess ? 2 : 0), sourceLocation: sourceLocation)
            let premium = overview.entitlements["premium"]
            #expect((premium?.isActive ?? false) == hasAccess, sourceLocation: sourceLocation)
            #expect((premium?.isInGracePeriod ?? false) == inGrace, sourceLocation: sourceLocation)
            // While a renewal is failing, the stores report different renewal states.
            if status == .active {
                #expect(overview.subscriptions.first?.willRenew == willRenew, sourceLocation: sourceLocation)
            }
            #expect(try await self.user.client.balance().visits == visits, sourceLocation: sourceLocation)
        }
    }
}
