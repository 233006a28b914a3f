import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct BookingFunctionTests {
    @Test func `a booking with credits returns the app's members, and a retry the same booking`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(id).status == 200)
            try await server.stock(user)

            let booked = try await server.bookWithCredits(id, seats: 2, as: user)
            #expect(booked.status == 201)
            let data = try #require(booked.data)
            let bookingID = try #require(data["booking_id"] as? String)
            #expect(data["status"] as? String == "confirmed")
            #expect(data["payment_method"] as? String == "credits")
            #expect(data["credits_used"] as? Int == 40)
            #expect(data["class_title"] as? String == "Pottery")
            #expect(data["attendees_count"] as? Int == 2)
            #expect(data["confirmation_number"] as? String == "HB" + bookingID.suffix(8).uppercased())
            #expect(data["remaining_credits"] as? Int == 60)
            #expect(data["message"] is String)
            #expect(data["idempotent"] as? Bool == false)

            let again = try await server.bookWithCredits(id, seats: 2, as: user)
            #expect(again.status == 200)
            #expect(again.data?["idempotent"] as? Bool == true)
            #expect(again.data?["booking_id"] as? String == bookingID)
            #expect(again.data?["remaining_credits"] as? Int == 60)

            let other = try await server.bookWithCredits(id, seats: 1, as: user)
            #expect(other.status == 409)
            #expect(other.code == "BOOKING_EXISTS")
            #expect(other.details?["booking_id"] as? String == bookingID)
            #expect(try await server.credits(of: user) == 60)
        }
    }

    @Test func `two identical concurrent requests make one booking and one charge`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(id).status == 200)
            try await server.stock(user)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<6 { group.addTask { try await server.bookWithCredits(id, as: user) } }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.status == 200 && $0.data?["idempotent"] as? Bool == true } == 5)
            #expect(Set(answers.compactMap { $0.data?["booking_id"] as? String }).count == 1)
            #expect(try await server.credits(of: user) == 80)
        }
    }

    @Test func `a class can be booked again after a cancellation, and a key keeps its meaning`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(id).status == 200)
            try await server.stock(user)
            let first = try await server.bookWithCredits(id, as: user, key: "face-key")
            #expect(first.status == 201)
            let bookingID = try #require(first.data?["booking_id"] as? String)
            // The wallet recognizes replays by the key, so another key is another request.
            #expect(try await server.bookWithCredits(id, as: user, key: "another").code == "BOOKING_EXISTS")
            #expect(
                try await server.bookWithCredits(id, seats: 2, as: user, key: "face-key").code
                    == "IDEMPOTENCY_KEY_REUSED"
            )

            let cancelled = try await server.call(
                .post,
                "bookings/cancel",
                as: user,
                json: ["booking_id": bookingID, "reason": "ill"]
            )
            #expect(cancelled.status == 200)
            let data = try #require(cancelled.data)
            #expect(data["status"] as? String == "cancelled")
            #expect(data["original_amount"] as? Int == 20)
            let refund = try #require(data["refund"] as? [String: Any])
            #expect(refund["amount"] as? Int == 20)
            #expect(refund["percentage"] as? Int == 100)
            #expect(data["remaining_credits"] as? Int == 100)
            #expect(data["idempotent"] as? Bool == false)
            let again = try await server.call(.post, "bookings/cancel", as: user, json: ["booking_id": bookingID])
            #expect(again.status == 200)
            #expect(again.data?["idempotent"] as? Bool == true)
            #expect(try await server.credits(of: user) == 100)

            let replay = try await server.bookWithCredits(id, as: user, key: "face-key")
            #expect(replay.status == 200)
            #expect(replay.data?["status"] as? String == "cancelled")
            let rebooked = try await server.bookWithCredits(id, as: user)
            #expect(rebooked.status == 201)
            #expect(rebooked.data?["booking_id"] as? String != bookingID)
        }
    }

    @Test func `a booking is shown and listed to its owner only`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let (soon, later) = ("face-\(ServerHarness.someone())", "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(soon, startingIn: 20).status == 200)
            #expect(try await server.makeClass(later, startingIn: 72.5).status == 200)
            try await server.stock(user)
            let people = [["name": "Ann", "email": "ann@example.com"]]
            var ids: [String] = []
            for id in [later, soon] {
                let created = try await server.call(
                    .post,
                    "bookings/create",
                    as: user,
                    json: ["class_id": id, "attendees": people, "notes": "by the window"]
                )
                #expect(created.status == 201)
                let booking = try #require(created.data?["booking"] as? [String: Any])
                #expect(booking["amount_formatted"] as? String == "20 credits")
                #expect(booking["user_id"] as? String == user)
                #expect((created.data?["payment"] as? [String: Any])?["payment_method"] as? String == "credits")
                let steps = try #require(created.data?["next_steps"] as? [String: Any])
                #expect(steps["action"] as? String == "none")
                #expect(steps["payment_url"] == nil)
                ids.append(try #require(booking["id"] as? String))
            }

            let shown = try #require(try await server.call(.get, "bookings/\(ids[0])", as: user).data)
            #expect(shown["status"] as? String == "confirmed")
            #expect(shown["can_cancel"] as? Bool == true)
            #expect(shown["can_review"] as? Bool == false)
            #expect(shown["hours_until_class"] as? Int == 72)
            #expect(shown["reminder_needed"] as? Bool == false)
            #expect(shown["attendees_count"] as? Int == 1)
            #expect(shown["payment_status"] as? String == "succeeded")
            let stranger = try await server.call(.get, "bookings/\(ids[0])", as: ServerHarness.someone())
            #expect(stranger.status == 404)
            #expect(stranger.code == "NOT_FOUND")

            let upcoming = try #require(try await server.call(.get, "bookings/upcoming", as: user).rows)
            #expect(upcoming.map { $0["id"] as? String } == [ids[1], ids[0]])
            #expect(upcoming.map { $0["reminder_needed"] as? Bool } == [true, false])

            let page = try await server.call(.get, "bookings/my-bookings?page=2&limit=1", as: user)
            #expect(page.rows?.map { $0["id"] as? String } == [ids[0]])
            #expect(page.meta?["page"] as? Int == 2)
            #expect(page.meta?["per_page"] as? Int == 1)
            #expect(page.meta?["total"] as? Int == 2)
            #expect(page.meta?["total_pages"] as? Int == 2)
            #expect(page.meta?["has_more"] as? Bool == false)

            _ = try await server.call(.post, "bookings/cancel", as: user, json: ["booking_id": ids[0]])
            let history = try #require(try await server.call(.get, "bookings/history", as: user).rows)
            #expect(history.map { $0["status"] as? String } == ["cancelled"])
            #expect(history.first?["payment_status"] as? String == "refunded")
            #expect(history.first?["can_cancel"] as? Bool == false)
            for (status, count) in [("confirmed", 1), ("cancelled", 1), ("completed", 0), ("pending", 0)] {
                let rows = try await server.call(.get, "bookings/my-bookings?status=\(status)", as: user).rows
                #expect(rows?.count == count, "\(status)")
            }
        }
    }

    @Test func `a waitlist place appears in the app's lists`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(id, capacity: 2).status == 200)
            let other = ServerHarness.someone()
            try await server.stock(other)
            #expect(try await server.bookWithCredits(id, seats: 2, as: other).status == 201)
            let joined = try await server.send(.post, "/classes/\(id)/waitlist", as: user, json: ["seats": 2])
            #expect(joined.status == 201)
            let waiting = try await server.call(.get, "bookings/my-bookings?status=waitlisted", as: user)
            let row = try #require(waiting.rows?.first)
            #expect(waiting.meta?["total"] as? Int == 1)
            #expect(row["status"] as? String == "waitlisted")
            #expect(row["class_id"] as? String == id)
            #expect(row["attendees_count"] as? Int == 2)
            #expect(row["waitlist_position"] as? Int == 1)
            #expect(row["can_cancel"] as? Bool == false)
            #expect(try await server.call(.get, "bookings/my-bookings", as: user).rows?.isEmpty == true)
        }
    }

    @Test func `refusals have the app's codes and numbers`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, base) = (ServerHarness.someone(), ServerHarness.someone())
            #expect(try await server.makeClass("full-\(base)", capacity: 0).status == 200)
            #expect(try await server.makeClass("tight-\(base)", capacity: 2).status == 200)
            #expect(try await server.makeClass("dear-\(base)", credits: 60).status == 200)
            #expect(try await server.makeVisitClass("visit-\(base)").status == 200)

            let poor = try await server.bookWithCredits("dear-\(base)", seats: 2, as: user)
            #expect(poor.status == 402)
            #expect(poor.code == "INSUFFICIENT_CREDITS")
            #expect(poor.details?["credits_required"] as? Int == 120)
            #expect(poor.details?["credits_available"] as? Int == 0)
            #expect(poor.details?["credits_needed"] as? Int == 120)
            #expect((poor.details?["offers"] as? [String: Any])?["packs"] is [Any])

            try await server.stock(user)
            let full = try await server.bookWithCredits("full-\(base)", as: user)
            #expect(full.status == 409)
            #expect(full.code == "CLASS_FULL")
            let tight = try await server.bookWithCredits("tight-\(base)", seats: 3, as: user)
            #expect(tight.status == 409)
            #expect(tight.code == "INSUFFICIENT_SPOTS")
            #expect(tight.details?["spots_available"] as? Int == 2)
            #expect(tight.details?["spots_requested"] as? Int == 3)
            let visit = try await server.bookWithCredits("visit-\(base)", as: user)
            #expect(visit.status == 409)
            #expect(visit.code == "CREDITS_NOT_ALLOWED")
            let missing = try await server.bookWithCredits("missing-\(base)", as: user)
            #expect(missing.status == 404)
            #expect(missing.code == "NOT_FOUND")
        }
    }

    @Test func `invalid requests are distinguished`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let nobody = try await server.bookWithCredits("pottery", seats: 0, as: user)
            #expect(nobody.status == 400)
            #expect(nobody.code == "VALIDATION_ERROR")
            #expect((nobody.details?["errors"] as? [String])?.count == 1)
            let nameless: [String: any Sendable] = ["class_id": "pottery", "attendees": [["name": " "]]]
            let unnamed = try await server.call(.post, "credit-packs/book-with-credits", as: user, json: nameless)
            #expect(unnamed.status == 400)
            #expect(unnamed.code == "INVALID_ATTENDEE")
            let mailless: [String: any Sendable] = ["class_id": "pottery", "attendees": [["name": "Ann"]]]
            #expect(
                try await server.call(.post, "bookings/create", as: user, json: mailless).code == "INVALID_ATTENDEE"
            )
            for query in ["limit=0", "limit=101", "page=0", "page=9999", "limit=x", "page=1&page=2", "status=odd"] {
                let answer = try await server.call(.get, "bookings/my-bookings?\(query)", as: user)
                #expect(answer.code == "VALIDATION_ERROR", "\(query)")
            }
            for status in ["pending", "waitlisted", "completed"] {
                let answer = try await server.call(
                    .get,
                    "bookings/my-bookings?status=\(status)",
                    as: user,
                    headers: ["Wallet-Environment": "elsewhere"]
                )
                #expect(answer.code == "VALIDATION_ERROR", "\(status)")
            }
            let odd = try await server.call(.post, "bookings/cancel", as: user, json: ["booking_id": "42"])
            #expect(odd.status == 404)
            #expect(odd.code == "NOT_FOUND")
            let begun = "face-\(ServerHarness.someone())"
            #expect(try await server.makeClass(begun, startingIn: 1).status == 200)
            try await server.stock(user)
            let late = try await server.bookWithCredits(begun, as: user)
            let lateID = try #require(late.data?["booking_id"] as? String)
            let forfeited = try await server.call(.post, "bookings/cancel", as: user, json: ["booking_id": lateID])
            #expect(forfeited.status == 200)
            #expect(forfeited.data?["refund"] == nil)
            #expect(forfeited.data?["remaining_credits"] as? Int == 80)
        }
    }
}
