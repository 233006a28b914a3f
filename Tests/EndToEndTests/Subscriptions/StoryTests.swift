import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of an app's calls from the first look at a class to the cancelled booking.
    @Suite struct StoryTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("story")
        }

        @Test func `from an empty wallet to a booking and back`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 3)
            let problem = await #expect(throws: WalletProblem.self) {
                try await self.user.client.quote(classID: classID)
            }
            #expect(problem?.slug == "insufficient-credits")
            #expect(problem?.members["credits_needed"] == 20)
            let offers = problem?.members["offers"]?["packs"]?.items.compactMap { $0["product_id"]?.stringValue }
            #expect(offers?.first == SandboxStore.starter)
            let lack = try #require(problem?.insufficientCredits)
            #expect(problem?.detail == "You need 20 more credits.")
            #expect(lack.offers.packs.first?.productID == SandboxStore.starter)

            let sale = try await self.wallet.store.buy(try #require(offers?.first), for: self.user.id)
            let receipt = try await self.user.client.submitReceipt(sale.receipt, transactionID: sale.transactionID)
            #expect(receipt.granted.map(\.amount) == [25])
            #expect(receipt.granted.map(\.isDuplicate) == [false])
            #expect(receipt.finish == [sale.transactionID])
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 1))

            #expect(try await self.user.client.quote(classID: classID).balanceAfter.credits == 5)
            let intent = BookingIntent(classID: classID, maxAmount: 20)
            let booked = try await self.user.client.book(intent)
            #expect(!booked.isReplayed)
            #expect(booked.booking.slices.map(\.lotID) == receipt.granted.map(\.lotID))
            #expect(booked.balance.credits == 5)
            let replay = try await self.user.client.book(intent)
            #expect(replay.isReplayed)
            #expect(replay.booking == booked.booking)
            #expect(try await self.user.client.classSession(classID).seatsLeft == 2)

            let cancelled = try await self.user.client.cancel(booked.booking.bookingID)
            #expect(cancelled.booking.status == "cancelled")
            #expect(cancelled.booking.returned?.amount == 20)
            #expect(try await self.user.client.cancel(booked.booking.bookingID).booking == cancelled.booking)
            #expect(try await self.user.client.book(intent).booking.status == "cancelled")
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 3))
            #expect(try await self.user.client.classSession(classID).seatsLeft == 3)
        }

        @Test func `a booking without enough credits offers packs that allow the same booking`() async throws {
            let classID = try await self.wallet.makeClass(credits: 40, seats: 1)
            try await self.wallet.give(15, to: self.user)
            let intent = BookingIntent(classID: classID, maxAmount: 40)
            let problem = await #expect(throws: WalletProblem.self) { try await self.user.client.book(intent) }
            #expect(problem?.status == 402)
            #expect(problem?.members["credits_needed"] == 25)
            let packs = try #require(problem?.members["offers"]?["packs"]?.items)
            let offered = try #require(packs.first?["product_id"]?.stringValue)
            #expect(try await self.user.client.classSession(classID).seatsLeft == 1)

            let sale = try await self.wallet.store.buy(offered, for: self.user.id)
            let receipt = try await self.user.client.submitReceipt(sale.receipt, transactionID: sale.transactionID)
            #expect(receipt.balance.credits >= 40)
            // A refusal does not consume the key, so the same request succeeds now.
            let booked = try await self.user.client.book(intent)
            #expect(!booked.isReplayed)
            #expect(booked.booking.amount == 40)
            #expect(try await self.user.client.balance().credits == receipt.balance.credits - 40)
            #expect(try await self.user.client.bookings(status: .upcoming).items == [booked.booking])

            let cancelled = try await self.user.client.cancel(booked.booking.bookingID)
            #expect(cancelled.booking.cancelledBy == "user")
            #expect(cancelled.booking.returned?.amount == 40)
            #expect(cancelled.balance.credits == receipt.balance.credits)
            #expect(try await self.user.client.bookings(status: .cancelled).items == [cancelled.booking])
            try await self.wallet.expectIntactBooks()
        }

        @Test func `the ledger has each step, without gaps and linked`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)
            let classID = try await self.wallet.makeClass(credits: 20)
            let booking = try await self.user.client.book(classID: classID).booking
            _ = try await self.user.client.cancel(booking.bookingID)

            let first = try await self.user.client.transactions(limit: 2)
            let cursor: String = try #require(first.nextCursor)
            let rest = try await self.user.client.transactions(cursor: cursor, limit: 2)
            let entries = first.items + rest.items
            #expect(rest.nextCursor == nil)
            #expect(entries.map(\.version) == [3, 2, 1])
            #expect(entries.map(\.kind) == ["return", "spend", "grant"])
            #expect(entries.map(\.amount) == [20, -20, 50])
            #expect(entries.map(\.balanceAfter) == [50, 30, 50])
            #expect(entries.map(\.bookingID) == [booking.bookingID, booking.bookingID, nil])
            #expect(entries.last?.transactionID == sale.transactionID)
            #expect(Set(entries.map(\.hash)).count == 3)
        }

        @Test func `purchases and bookings are listed with their results`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)
            let classID = try await self.wallet.makeClass(credits: 20)
            let booking = try await self.user.client.book(classID: classID).booking

            let purchases = try await self.user.client.purchases().items
            #expect(purchases.map(\.transactionID) == [sale.transactionID])
            #expect(purchases.map(\.status) == ["partly_consumed"])
            #expect(purchases.map(\.remaining) == [5])
            #expect(try await self.user.client.booking(booking.bookingID) == booking)
            #expect(try await self.user.client.bookings(status: .upcoming).items == [booking])
            #expect(try await self.user.client.bookings(status: .cancelled).items.isEmpty)
        }

        @Test func `a subscription grants its visits, its tier and its entitlement`() async throws {
            let plan = "com.hobbyist.bookingapp.subscription.explorer"
            let sale = try await self.wallet.store.buy(plan, for: self.user.id)
            let receipt = try await self.user.client.submitReceipt(sale.receipt)
            #expect(receipt.granted.map(\.unit) == ["visit"])

            let overview = try await self.user.client.subscriptions()
            #expect(overview.subscriptions.map(\.status) == ["active"])
            #expect(overview.tier == 1)
            #expect(overview.entitlements["premium"]?.isActive == true)
            #expect(try await self.user.client.balance().visits == 4)
            let classID = try await self.wallet.makeClass(visits: 1)
            #expect(try await self.user.client.book(classID: classID).booking.unit == "visit")
        }

        @Test func `a sandbox purchase raises the sandbox wallet alone and takes sandbox seats`() async throws {
            let sale = try await self.wallet.store.buy(
                SandboxStore.explorer,
                for: self.user.id,
                ["environment": "sandbox"]
            )
            let receipt = try await self.user.client.submitReceipt(sale.receipt)
            #expect(receipt.environment == .sandbox)
            #expect(try await self.user.client.balance().credits == 50)

            let classID = try await self.wallet.makeClass(credits: 50, seats: 1)
            _ = try await self.user.client.book(classID: classID)
            await self.user.client.use(.production)
            #expect(try await self.user.client.classSession(classID).seatsLeft == 1)
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }
    }
}
