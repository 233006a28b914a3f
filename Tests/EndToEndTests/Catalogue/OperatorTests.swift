import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of what members see of products and gifts that an operator creates.
    @Suite struct OperatorTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("guest")
        }

        @Test func `a new product is on sale with its bonus and its price`() async throws {
            let id = "e2e.holiday.\(UUID().uuidString.lowercased())"
            let put = try await self.wallet.operate(
                .put,
                "/operator/products/\(id)",
                [
                    "kind": "pass", "name": "Holiday pass", "description": "4 visits in the holidays.", "unit": "visit",
                    "amount": 3, "bonus": 1, "valid_days": 30, "display_order": 99,
                    "price": ["amount": 60, "currency": "USD"], "store_ids": ["app_store": .string(id)],
                ]
            )
            #expect(put.outcome == "200")
            let pack = try #require(try await self.user.client.packs().first { $0.productID == id })
            #expect(pack.name == "Holiday pass")
            #expect(pack.totalCredits == 4)
            #expect(pack.bonusCredits == 1)
            #expect(pack.pricePerCredit == 15)
            #expect(pack.storeIDs.appStore == id)

            let gone = try await self.wallet.operate(
                .put,
                "/operator/products/\(id)",
                [
                    "kind": "pass", "name": "Holiday pass", "unit": "visit", "amount": 3, "is_active": false,
                    "price": ["amount": 60, "currency": "USD"],
                ]
            )
            #expect(gone.outcome == "200")
            #expect(try await self.user.client.packs().contains { $0.productID == id } == false)
        }

        @Test func `a gift is spendable at once and has an expiry date`() async throws {
            let end = try await self.wallet.store.now().addingTimeInterval(30 * 86_400)
            let posted = try await self.wallet.operate(
                .post,
                "/operator/adjustments",
                [
                    "user_id": .string(self.user.id), "unit": "visit", "amount": 2, "reason": "Welcome.",
                    "reference": .string("welcome-\(self.user.id)"), "source": "gift",
                    "expires_at": .string(end.formatted(.iso8601)), "new_user": true,
                ]
            )
            #expect(posted.outcome == "201")
            #expect(posted["balance", "visits"] == 2)

            let balance = try await self.user.client.balance()
            let lot = try #require(balance.lots.first)
            #expect(balance.lots.count == 1)
            #expect(lot.source == "promo")
            #expect(lot.lotID.uuidString.lowercased() == posted["adjustment", "lot_id"]?.stringValue)
            #expect(lot.expiresAt == end)
            #expect(balance.upcomingExpirations.map(\.amount) == [2])
            #expect(balance.upcomingExpirations.map(\.expiresAt) == [end])

            let early = try await self.wallet.makeClass(visits: 1)
            let late = try await self.wallet.makeClass(visits: 1, inDays: 40)
            #expect(try await self.user.client.book(classID: early).booking.slices.map(\.lotID) == [lot.lotID])
            // A lot pays only for classes that begin before the lot expires.
            #expect(try await self.user.book(class: late).outcome == "402 insufficient-credits")
        }

        @Test func `an adjustment is posted once and the ledger has its reason`() async throws {
            let adjustment: [String: JSONValue] = [
                "user_id": .string(self.user.id), "unit": "credit", "amount": 30, "reason": "Paid at the desk.",
                "reference": .string("desk-\(self.user.id)"), "new_user": true,
            ]
            #expect(try await self.wallet.operate(.post, "/operator/adjustments", adjustment).outcome == "201")
            // The same reference with another key posts nothing.
            let again = try await self.wallet.operate(.post, "/operator/adjustments", adjustment)
            #expect(again.status < 300 || again.slug == "reference-reused", "\(again.outcome)")
            let entry = try #require(try await self.user.client.transactions().items.first)
            #expect(entry.kind == "adjust")
            #expect(entry.reason == "Paid at the desk.")
            #expect(try await self.user.standing() == Standing(credits: 30, visits: 0, version: 1))

            let large = adjustment.merging(["amount": 1_001, "reference": "large"]) { $1 }
            let refused = try await self.wallet.operate(.post, "/operator/adjustments", large)
            #expect(refused.outcome == "403 amount-too-large")
            #expect(refused["maximum"] == 1_000)
        }
    }
}
