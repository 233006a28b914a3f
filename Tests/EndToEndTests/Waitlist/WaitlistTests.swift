import Foundation
import TestSupport
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of the waitlist, from a full class to a promoted booking.
    @Suite struct WaitlistTests {
        private let wallet: LiveWallet
        private let holder: LiveUser
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.holder = try self.wallet.user("holder")
            self.user = try self.wallet.user("waiting")
        }

        private func promoted(_ user: LiveUser) async throws -> Booking? {
            try await eventually("a promotion of \(user.id)") {
                try await user.client.bookings(status: .upcoming).items.isEmpty == false
            }
            return try await user.client.bookings(status: .upcoming).items.first
        }

        @Test func `a waiting user gets a freed seat within seconds`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
            try await self.wallet.give(20, to: self.holder)
            let held = try await self.holder.client.book(classID: classID).booking
            let full = await #expect(throws: WalletProblem.self) {
                try await self.user.client.book(classID: classID)
            }
            #expect(full?.slug == "class-full")

            let place = try await self.user.client.joinWaitlist(of: classID, maxAmount: 20)
            #expect(place.place == 1)
            #expect(try await self.user.client.bookings().waitlist == [place])
            #expect(try await self.user.client.classSession(classID).waitlist?.length == 1)
            // The user can buy credits while waiting.
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)

            _ = try await self.holder.client.cancel(held.bookingID)
            let booking = try #require(try await self.promoted(self.user))
            #expect(booking.classID == classID)
            #expect(booking.isFromWaitlist == true)
            #expect(booking.amount == 20)
            #expect(try await self.user.standing() == Standing(credits: 5, visits: 0, version: 2))
            #expect(try await self.user.client.bookings().waitlist.isEmpty)
            #expect(try await self.user.client.classSession(classID).seatsLeft == 0)
            #expect(try await self.holder.standing() == Standing(credits: 20, visits: 0, version: 3))
            try await self.wallet.expectIntactBooks()
        }

        @Test func `a promoted booking inside the late window is free to cancel for half an hour`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 1, inDays: 0, hours: 3)
            try await self.wallet.give(20, to: [self.holder, self.user])
            let held = try await self.holder.client.book(classID: classID).booking
            _ = try await self.user.client.joinWaitlist(of: classID)
            #expect(try await self.holder.client.cancel(held.bookingID).booking.isLateCancel == true)
            #expect(try await self.holder.standing().credits == 0)

            let booking = try #require(try await self.promoted(self.user))
            let cancelled = try await self.user.client.cancel(booking.bookingID).booking
            #expect(cancelled.isLateCancel == false)
            #expect(try await self.user.standing().credits == 20)
        }

        @Test func `a user who cannot pay is skipped, keeps the position and is next when they can`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
            let other = try self.wallet.user("behind")
            try await self.wallet.give(20, to: [self.holder, other])
            let held = try await self.holder.client.book(classID: classID).booking
            _ = try await self.user.client.joinWaitlist(of: classID)
            #expect(try await other.client.joinWaitlist(of: classID).place == 2)

            _ = try await self.holder.client.cancel(held.bookingID)
            let booking = try #require(try await self.promoted(other))
            #expect(try await self.user.client.bookings().waitlist.map(\.place) == [1])
            try await self.wallet.give(20, to: self.user)
            _ = try await other.client.cancel(booking.bookingID)
            #expect(try await self.promoted(self.user)?.isFromWaitlist == true)
        }

        @Test func `users who leave are not promoted, and a class with free seats has no waitlist`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
            try await self.wallet.give(20, to: [self.holder, self.user])
            let available = await #expect(throws: WalletProblem.self) {
                try await self.user.client.joinWaitlist(of: classID)
            }
            #expect(available?.slug == "seats-available")

            let held = try await self.holder.client.book(classID: classID).booking
            _ = try await self.user.client.joinWaitlist(of: classID)
            try await self.user.client.leaveWaitlist(of: classID)
            _ = try await self.holder.client.cancel(held.bookingID)
            #expect(try await self.user.client.classSession(classID).seatsLeft == 1)
            #expect(try await self.user.client.bookings().items.isEmpty)
        }

        @Test func `additional seats go to the first users on the waitlist`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
            try await self.wallet.give(20, to: [self.holder, self.user])
            _ = try await self.holder.client.book(classID: classID)
            _ = try await self.user.client.joinWaitlist(of: classID)
            try await self.wallet.makeClass(credits: 20, seats: 3, as: classID)
            #expect(try await self.promoted(self.user)?.isFromWaitlist == true)
            try await eventually("a seat for everybody") {
                try await self.user.client.classSession(classID).seatsLeft == 1
            }
        }
    }
}
