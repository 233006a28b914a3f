import Foundation
import Postgres
import Testing
import WalletClient

extension ToldWalletTests {
    /// Tests of refunds, each reported twice: by the App Store or Google Play, and by RevenueCat.
    @Suite struct RefundTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("refunded")
        }

        @Test func `refunded credits already spent become debt, repaid by the next pack or returned`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 1))
            let classID = try await self.wallet.makeClass(credits: 20)
            let booking = try await self.user.client.book(classID: classID).booking

            try await self.wallet.store.refund(sale)
            try await self.expect(credits: 0, owed: 20)
            let purchase = try await self.user.send(.get, "/purchases/\(sale.transactionID)")
            #expect(purchase["status"] == "refunded")
            let used = purchase["used_by"]?.items.first
            #expect(used?["booking_id"]?.stringValue?.uppercased() == booking.bookingID.uuidString)
            #expect(used?["class_id"] == .string(classID))
            #expect(used?["amount"] == 20)

            _ = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            try await self.expect(credits: 30, owed: 0)
            try await self.wallet.store.reverseRefund(sale)
            try await self.expect(credits: 55, owed: 0)
            #expect(try await self.user.client.purchases().items.map(\.status) == ["granted", "partly_consumed"])
        }

        // Guarantee: refunds-exact
        @Test func `a refund, then the cancelled booking that it had paid, mints nothing`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            let booking = try await self.user.client.book(classID: self.wallet.makeClass(credits: 20)).booking
            try await self.wallet.store.refund(sale)
            try await self.expect(credits: 0, owed: 20)
            _ = try await self.user.client.cancel(booking.bookingID)
            try await self.expect(credits: 0, owed: 0)
            _ = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            try await self.expect(credits: 25, owed: 0)
        }

        @Test func `a refund is partial, then full, then reversed`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            for (percentage, credits) in [(33, 34), (70, 15), (100, 0)] as [(Int64, Int64)] {
                try await self.wallet.store.refund(sale, percentage: percentage)
                try await self.expect(credits: credits, owed: 0)
            }
            try await self.wallet.store.reverseRefund(sale)
            try await self.expect(credits: 50, owed: 0)
        }

        // Guarantee: refunds-exact
        @Test func `a refund reported by both is taken once, also when both report it again`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            try await self.wallet.store.refund(sale)
            let before = try await self.user.standing()
            let messages = try await self.wallet.store.messages(about: sale)
            #expect(Set(messages.map(\.source)) == ["app_store", "revenuecat"])
            #expect(messages.allSatisfy { $0.status == 200 })
            try await self.wallet.store.deliver(messages)
            #expect(try await self.user.standing() == before)
            #expect(before == Standing(credits: 0, visits: 0, version: 2))
        }

        @Test func `Google Play's refund deducts the credits`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.explorer, for: self.user.id)
            #expect(try await self.user.standing() == Standing(credits: 50, visits: 0, version: 1))
            try await self.wallet.store.refund(sale)
            try await self.expect(credits: 0, owed: 0)
            #expect(try await self.user.client.purchases().items.map(\.status) == ["refunded"])
        }

        @Test func `a refunded subscription ends with its visits and its entitlement`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.enthusiastPlan, for: self.user.id)
            #expect(try await self.user.client.subscriptions().tier == 2)
            try await self.wallet.store.refund(sale)
            let overview = try await self.user.client.subscriptions()
            #expect(overview.subscriptions.map(\.status) == ["refunded"])
            #expect(overview.tier == 0)
            #expect(overview.entitlements["premium"]?.isActive != true)
            #expect(try await self.user.client.balance().visits == 0)
        }

        @Test func `three refunds raise one flag for review`() async throws {
            for _ in 0..<3 {
                try await self.wallet.store.refund(
                    try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
                )
            }
            let flags = try await self.wallet.query(
                "SELECT refunds FROM admin.review_flags WHERE user_id = \(self.user.id) AND resolution IS NULL"
            )
            #expect(flags.count >= 1)
            #expect(try flags.first?.decode("refunds", as: Int32.self) == 3)
        }

        /// Expects the spendable and the owed credits, and intact books.
        private func expect(
            credits: Int64,
            owed: Int64,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let balance = try await self.user.client.balance()
            #expect(balance.credits == credits, sourceLocation: sourceLocation)
            #expect(balance.owedCredits == owed, sourceLocation: sourceLocation)
            try await self.wallet.expectIntactBooks(sourceLocation: sourceLocation)
        }
    }
}
