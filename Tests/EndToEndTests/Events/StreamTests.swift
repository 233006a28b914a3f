import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of the balance stream, which needs no polling, and of visits that the app spends itself.
    @Suite(.timeLimit(.minutes(10))) struct StreamTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("streaming")
        }

        @Test func `a balance stream shows the purchase, the booking and the cancellation`() async throws {
            var balances = self.user.client.balances().makeAsyncIterator()
            #expect(try await balances.next()?.credits == 0)
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)
            #expect(try await balances.next()?.credits == 25)
            let classID = try await self.wallet.makeClass(credits: 20)
            let booking = try await self.user.client.book(classID: classID).booking
            #expect(try await balances.next()?.credits == 5)
            _ = try await self.user.client.cancel(booking.bookingID)
            let last = try #require(try await balances.next())
            #expect(last.credits == 25)
            #expect(last.version == (try await self.user.client.balance().version))
        }

        @Test func `visits spent by the app appear in the pass, the purchase and the forecast`() async throws {
            let sale = try await self.wallet.store.buy("threeVisit", for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)
            #expect(try await self.user.client.consume(sale.transactionID, reference: "door 1").remaining == 2)
            #expect(try await self.user.client.consume(sale.transactionID, reference: "door 1").remaining == 2)
            let pass = try #require(try await self.user.client.passes().items.first)
            #expect(pass.remaining == 2)
            #expect(pass.history.map(\.reference) == ["door 1"])
            let purchase = try await self.user.client.purchase(sale.transactionID)
            #expect(purchase.usedBy.map(\.reference) == ["door 1"])
            #expect(purchase.status == "partly_consumed")
            let end = try #require(pass.expiresAt)
            #expect(try await self.user.client.forecast(at: end - 60).visits == 2)
            #expect(try await self.user.client.forecast(at: end + 60).visits == 0)
            let refusal = await #expect(throws: WalletProblem.self) {
                try await self.user.client.consume("0", reference: "door 1")
            }
            #expect(refusal?.slug == "purchase-not-found")
            try await self.wallet.expectIntactBooks()
        }
    }
}
