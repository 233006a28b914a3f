import Foundation
import HTTPTypes
import Testing
import WalletClient

/// Tests of the waitlist, and of a studio's changes to classes and bookings.
@Suite
struct WaitlistTests {
    private static let place = #"""
        {"class_id":"glass","class_title":"Glass blowing","starts_at":"2026-11-27T01:00:00Z","seats":2,"place":3,
        "joined_at":"2026-11-21T01:35:00Z"}
        """#

    @Test
    func `joining sends the later booking's terms and returns the place`() async throws {
        let answer = WalletServer.Answer(status: .created, body: #"{"waitlist":\#(Self.place)}"#)
        try await WalletServer.run([answer]) { wallet, server async throws in
            let place = try await wallet.joinWaitlist(of: "glass", seats: 2, payWith: "credits", maxAmount: 100)
            #expect(place.classID == "glass")
            #expect(place.place == 3)
            #expect(place.joinedAt == Date(timeIntervalSince1970: 1_795_224_900))
            #expect(server.seen.map(\.method) == [.post])
            #expect(server.seen.map(\.path) == ["/classes/glass/waitlist"])
            let body = try JSONDecoder().decode([String: JSONValue].self, from: Data(server.seen[0].body.utf8))
            #expect(body == ["seats": 2, "pay_with": "credits", "max_amount": 100])
        }
    }

    @Test
    func `joining is retried after a lost response, because it is idempotent`() async throws {
        let answers = [
            WalletServer.Answer(status: .created, body: #"{"waitlist":\#(Self.place)}"#, isBroken: true),
            WalletServer.Answer(body: #"{"waitlist":\#(Self.place)}"#),
        ]
        try await WalletServer.run(answers) { wallet, server async throws in
            #expect(try await wallet.joinWaitlist(of: "glass").seats == 2)
            #expect(server.seen.count == 2)
        }
    }

    @Test
    func `leaving needs no response body`() async throws {
        try await WalletServer.run([WalletServer.Answer(status: .noContent, body: "")]) { wallet, server async throws in
            try await wallet.leaveWaitlist(of: "glass")
            #expect(server.seen.map(\.method) == [.delete])
            #expect(server.seen.map(\.path) == ["/classes/glass/waitlist"])
        }
    }

    @Test
    func `places are returned with the bookings, and an older wallet returns none`() async throws {
        let answers = [
            WalletServer.Answer(body: #"{"bookings":[],"waitlist":[\#(Self.place)],"next_cursor":"abc"}"#),
            WalletServer.Answer(body: #"{"bookings":[],"next_cursor":null}"#),
        ]
        try await WalletServer.run(answers) { wallet, _ async throws in
            let page = try await wallet.bookings()
            #expect(page.waitlist.map(\.place) == [3])
            #expect(page.nextCursor == "abc")
            let older = try await wallet.bookings()
            #expect(older.waitlist.isEmpty)
            #expect(older.nextCursor == nil)
        }
    }

    @Test
    func `a booking shows the studio's changes`() async throws {
        let promoted = bookingAnswer.replacing(
            #""returned":null"#,
            with: #""cancelled_by":"studio","returned":null,"moved":true,"from_waitlist":true"#
        )
        let answers = [WalletServer.Answer(body: promoted), WalletServer.Answer(body: bookingAnswer)]
        try await WalletServer.run(answers) { wallet, _ async throws in
            let booking = try await wallet.book(classID: "pottery").booking
            #expect(booking.cancelledBy == "studio")
            #expect(booking.isMoved == true)
            #expect(booking.isFromWaitlist == true)
            let older = try await wallet.book(classID: "pottery").booking
            #expect(older.isMoved == nil && older.isFromWaitlist == nil && older.cancelledBy == nil)
        }
    }

    @Test
    func `a class shows its limits and its waitlist`() async throws {
        let body = #"""
            {"class_id":"glass","title":"Glass blowing","starts_at":"2026-11-27T01:00:00Z",
            "ends_at":"2026-11-27T03:00:00Z","capacity":6,"seats_left":0,"price":{"credits":50,"visits":null},
            "cancellation":{"free_minutes_before":1440},"limits":{"max_seats":2,"days_ahead":null,
            "opens_minutes_before":10080,"closes_minutes_before":15,"max_overlaps":0},
            "waitlist":{"cutoff_minutes":60,"length":4},"status":"scheduled"}
            """#
        try await WalletServer.run([WalletServer.Answer(body: body)]) { wallet, _ async throws in
            let session = try await wallet.classSession("glass")
            let limits = try #require(session.limits)
            #expect(limits.maxSeats == 2)
            #expect(limits.daysAhead == nil)
            #expect(limits.opensMinutesBefore == 10_080)
            #expect(limits.closesMinutesBefore == 15)
            #expect(limits.maxOverlaps == 0)
            #expect(session.waitlist?.length == 4)
            #expect(session.waitlist?.cutoffMinutes == 60)
        }
    }
}
