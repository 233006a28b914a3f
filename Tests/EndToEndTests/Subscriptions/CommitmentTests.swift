import Foundation
import TestSupport
import Testing
import WalletClient

/// Tests of a year that both stores bill monthly, by the clock that the stores and the wallet share.
@Suite(.liveWallet, .showingLog, .serialized) struct CommitmentTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["app_store", "play_store"])
    func `twelve months of a commitment grant a year, and a cancelled one ends after its twelfth month`(
        store: String
    ) async throws {
        let product = try await self.sellYear()
        let user = try self.wallet.user("committed")
        let sale = try await self.wallet.store.buy(
            product,
            for: user.id,
            ["store": .string(store), "billing_plan": "monthly"]
        )
        let answer =
            store == "app_store"
            ? try await user.submit(signed: sale.signedTransaction)
            : try await user.submit(playPurchase: sale, of: product)
        #expect(answer.status == 200)
        #expect(try await user.client.balance().visits == 10)
        try await self.wallet.store.change(sale, "cancel")
        let ahead = try await self.wallet.store.now() + 40 * 86_400
        #expect(try await user.client.forecast(at: ahead).visits == 10)

        for month in 2...12 {
            // Three months grant 10, 10 and 11; unused visits of a month lapse.
            try await self.wallet.store.advanceClock(days: 30, seconds: 40_000, renewing: true)
            try await eventually("month \(month) is granted") {
                try await user.booked("grant").count == month
            }
        }
        #expect(try await self.granted(to: user) == 125)
        #expect(try await user.client.subscriptions().subscriptions.map(\.willRenew) == [false])
        try await self.wallet.store.advanceClock(days: 40, renewing: true)
        try await eventually("the commitment is over") {
            try await user.client.subscriptions().subscriptions.map(\.status) == [.expired]
        }
        #expect(try await user.booked("grant").count == 12)
        #expect(try await self.granted(to: user) == 125)
        #expect(try await user.client.balance().visits == 0)
        try await self.wallet.expectIntactBooks()
    }

    /// Returns the grants of all months.
    ///
    /// RevenueCat does not report commitments, so an excess grant may be taken back.
    private func granted(to user: LiveUser) async throws -> Int64 {
        try await user.booked("grant").amount + user.booked("refund").amount
    }

    /// Sells a year of 125 visits; the sandbox stores sell every product of the catalogue.
    private func sellYear() async throws -> String {
        let id = "e2e.year.\(UUID().uuidString.lowercased())"
        let put = try await self.wallet.operate(
            .put,
            "/operator/products/\(id)",
            [
                "kind": "plan", "name": "A year", "unit": "visit", "amount": 120, "bonus": 5, "period": "P1Y",
                "entitlements": ["premium"], "price": ["amount": 1_200, "currency": "USD"],
                "store_ids": ["app_store": .string(id), "play_store": .string(id)],
            ]
        )
        try #require(put.outcome == "200")
        return id
    }
}
