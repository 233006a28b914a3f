import Foundation
import TestSupport
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of what members see when a studio cancels, moves and limits its classes.
    @Suite struct StudioTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("member")
        }

        @Test func `a cancelled class refunds every booking and accepts no new ones`() async throws {
            let members = try self.wallet.users(5, "member")
            try await self.wallet.give(20, to: members)
            let waiting = try self.wallet.user("waiting")
            // The class starts within a day, so a member's own late cancellation would return nothing.
            let classID = try await self.wallet.makeClass(credits: 20, seats: 5, inDays: 0, hours: 3)
            for member in members { _ = try await member.client.book(classID: classID) }
            _ = try await waiting.client.joinWaitlist(of: classID)

            let cancelled = try await self.wallet.operate(
                .post,
                "/operator/classes/\(classID)/cancel",
                ["reason": "The kiln is broken."]
            )
            #expect(cancelled.outcome == "200")
            #expect(cancelled["status"] == "cancelled")
            #expect(try await waiting.book(class: classID).outcome == "409 class-closed")
            for member in members {
                try await eventually("a settled class") {
                    try await member.client.bookings(status: .upcoming).items.isEmpty
                }
                let booking = try await member.client.bookings().items.first
                #expect(booking?.cancelledBy == "studio")
                #expect(booking?.returned?.amount == 20)
                #expect(booking?.isLateCancel == false)
                #expect(try await member.standing() == Standing(credits: 20, visits: 0, version: 3))
            }
            #expect(try await waiting.client.bookings().waitlist.isEmpty)
            try await self.wallet.expectIntactBooks()
        }

        @Test func `bookings of a moved class are free to cancel even on the day of the class`() async throws {
            let classID = try await self.wallet.makeClass(credits: 20, inDays: 0, hours: 3)
            try await self.wallet.give(40, to: self.user)
            let booked = try await self.user.client.book(classID: classID).booking
            #expect(booked.isMoved == false)

            try await self.wallet.makeClass(credits: 20, inDays: 0, hours: 6, as: classID)
            let moved = try await self.user.client.booking(booked.bookingID)
            #expect(moved.isMoved == true)
            #expect(moved.startsAt > booked.startsAt + 2 * 3_600)
            #expect(moved.cancellation.freeUntil == moved.startsAt)
            let cancelled = try await self.user.client.cancel(booked.bookingID).booking
            #expect(cancelled.isLateCancel == false)
            #expect(cancelled.returned?.amount == 20)
            #expect(try await self.user.standing() == Standing(credits: 40, visits: 0, version: 3))

            // A booking made after the move accepts the new time, so it is not free to cancel.
            let again = try await self.user.client.book(classID: classID).booking
            #expect(again.isMoved == false)
            #expect(try await self.user.client.cancel(again.bookingID).booking.isLateCancel == true)
        }

        @Test(arguments: [
            (["max_seats": 2], 3, "409 too-many-seats"), (["opens_minutes_before": 60], 1, "409 booking-not-open"),
            (["closes_minutes_before": 40_000], 1, "409 booking-closed"), (["days_ahead": 3], 1, "409 too-far-ahead"),
        ])
        func `a limit has its own refusal and deducts nothing`(
            limits: [String: JSONValue],
            seats: Int,
            outcome: String
        ) async throws {
            let classID = try await self.wallet.makeClass(credits: 20, ["limits": .object(limits)])
            try await self.wallet.give(100, to: self.user)
            let before = try await self.user.standing()
            let refused = try await self.user.book(#"{"class_id":"\#(classID)","seats":\#(seats)}"#, key: "k")
            #expect(refused.outcome == outcome)
            #expect(try await self.user.standing() == before)
            // Once the limits are removed, the same key books.
            try await self.wallet.makeClass(credits: 20, as: classID)
            #expect(try await self.user.book(#"{"class_id":"\#(classID)","seats":\#(seats)}"#, key: "k").status == 201)
        }

        @Test func `a no-show costs a fee and a strike, and marking again takes both back`() async throws {
            let policy = "policy-\(UUID().uuidString.lowercased())"
            let terms: [String: JSONValue] = [
                "name": "Strict", "no_show": .object(["fee": 5, "strike": true]),
                "strikes": .object(["allowed": 0, "days": 30, "block_days": 7]),
            ]
            let defined = try await self.act("put-policy", ["policy_id": .string(policy), "policy": .object(terms)])
            #expect(defined.outcome == "200")
            #expect(try await self.user.client.policy(policy).noShow == Policy.Consequence(fee: 5, isStrike: true))
            // The class starts in an hour, so its attendance can be marked.
            let classID = try await self.wallet.makeClass(
                credits: 20,
                inDays: 0,
                hours: 1,
                ["policy_id": .string(policy)]
            )
            try await self.wallet.give(60, to: self.user)
            let booked = try await self.user.client.book(classID: classID).booking
            #expect(booked.attendance == .unmarked)

            let missed = try await self.mark(booked.bookingID, of: classID, "no_show")
            #expect(missed.outcome == "200")
            let noShow = try await self.user.client.booking(booked.bookingID)
            #expect(noShow.attendance == .noShow)
            #expect(noShow.fee == 5)
            #expect(noShow.isStrike == true)
            #expect(try await self.user.standing() == Standing(credits: 35, visits: 0, version: 3))
            let other = try await self.wallet.makeClass(credits: 20)
            #expect(try await self.user.book(class: other).outcome == "403 booking-blocked")
            await #expect(throws: WalletProblem.self) { try await self.user.client.checkIn(booked.bookingID) }

            _ = try await self.mark(booked.bookingID, of: classID, "unmarked")
            #expect(try await self.user.standing() == Standing(credits: 40, visits: 0, version: 4))
            #expect(try await self.user.client.checkIn(booked.bookingID).attendance == .attended)
            #expect(try await self.user.book(class: other).status == 201)
            try await self.wallet.expectIntactBooks()
        }

        private func mark(_ booking: UUID, of classID: String, _ attendance: String) async throws -> WebAnswer {
            let members: [String: JSONValue] = [
                "class_id": .string(classID), "booking_ids": .array([.string(booking.uuidString.lowercased())]),
                "attendance": .string(attendance),
            ]
            return try await self.act("mark-attendance", members)
        }

        private func act(_ action: String, _ members: [String: JSONValue]) async throws -> WebAnswer {
            try await self.wallet.operate(
                .post,
                "/operator/actions/\(action)",
                members.merging(["reason": "the studio's day"]) { $1 }
            )
        }

        @Test func `a class may exclude overlapping bookings`() async throws {
            let first = try await self.wallet.makeClass(credits: 20)
            let second = try await self.wallet.makeClass(credits: 20, ["limits": ["max_overlaps": 0]])
            try await self.wallet.give(40, to: self.user)
            let booking = try await self.user.client.book(classID: first).booking
            let problem = await #expect(throws: WalletProblem.self) {
                try await self.user.client.book(classID: second)
            }
            #expect(problem?.slug == "overlapping-booking")
            #expect(problem?.members["booking_id"]?.stringValue == booking.bookingID.uuidString.lowercased())
            _ = try await self.user.client.cancel(booking.bookingID)
            #expect(try await self.user.client.book(classID: second).booking.status == "booked")
        }
    }
}
