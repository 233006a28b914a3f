import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct BookingRouteTests {
    @Test func `a booking is made, replayed, shown and cancelled`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            #expect(try await server.makeClass("pottery-1").status == 200)
            _ = try await server.submit(try await server.buy(user).receipt, as: user)

            let quote = try await server.send(
                .post,
                "/bookings?dry_run=true",
                as: user,
                body: #"{"class_id":"pottery-1"}"#
            )
            #expect(quote.status == 200)
            #expect(try quote.json["payable"] as? Bool == true)
            #expect(try quote.json["amount"] as? Int == 20)

            let booked = try await server.book("pottery-1", as: user, key: "key-1")
            #expect(booked.status == 201)
            let booking = try #require(try booked.json["booking"] as? [String: Any])
            let id = try #require(booking["booking_id"] as? String)
            #expect(booked.headers[.location] == "/bookings/\(id.lowercased())")
            #expect(try (booked.json["balance"] as? [String: Any])?["credits"] as? Int == 80)
            let start = try #require(booking["starts_at"] as? String)
            #expect(start.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)

            // The same request: the key in its quoted form, and the members in another order.
            let body = #"{"seats":1,"class_id":"pottery-1"}"#
            let headers = ["Idempotency-Key": "\"key-1\""]
            let replay = try await server.send(.post, "/bookings", as: user, headers: headers, body: body)
            #expect(replay.status == 200)
            #expect(replay.headers[.idempotentReplayed] == "true")
            #expect(try (replay.json["booking"] as? [String: Any])?["booking_id"] as? String == id)
            let reused = #"{"seats":2,"class_id":"pottery-1"}"#
            let other = try await server.send(.post, "/bookings", as: user, headers: headers, body: reused)
            #expect(other.status == 422)
            #expect(other.problem == "idempotency-key-reused")

            let twice = try await server.book("pottery-1", as: user, key: "key-2")
            #expect(twice.problem == "already-booked")
            #expect(try (twice.json["booking_id"] as? String)?.lowercased() == id.lowercased())

            #expect(try await server.send(.get, "/bookings/\(id)", as: user).status == 200)
            #expect(
                try await server.send(.get, "/bookings/\(id)", as: ServerHarness.someone()).problem
                    == "booking-not-found"
            )
            let stranger = try await server.send(.delete, "/bookings/\(id)", as: ServerHarness.someone())
            #expect(stranger.problem == "booking-not-found")
            let list = try await server.send(.get, "/bookings?status=upcoming", as: user)
            #expect(try (list.json["bookings"] as? [Any])?.count == 1)

            let cancelled = try await server.send(.post, "/bookings/\(id)/cancel", as: user)
            #expect(cancelled.status == 200)
            let again = try await server.send(.delete, "/bookings/\(id)", as: user)
            #expect(again.text == cancelled.text)
            let after = try #require(try again.json["booking"] as? [String: Any])
            #expect(after["status"] as? String == "cancelled")
            #expect((after["returned"] as? [String: Any])?["amount"] as? Int == 20)
            #expect(try (again.json["balance"] as? [String: Any])?["credits"] as? Int == 100)
        }
    }

    @Test func `refusals carry what the contract says`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            #expect(try await server.makeClass("full-1", capacity: 0).status == 200)
            #expect(try await server.makeClass("dear-1", credits: 150).status == 200)
            #expect(try await server.book("nothing", as: user).problem == "class-not-found")
            _ = try await server.submit(try await server.buy(user).receipt, as: user)

            let full = try await server.book("full-1", as: user)
            #expect(full.status == 409)
            #expect(full.problem == "class-full")
            #expect(try full.json["seats_left"] as? Int == 0)

            let dear = try await server.book("dear-1", as: user, key: "once")
            #expect(dear.status == 402)
            #expect(dear.problem == "insufficient-credits")
            #expect(try dear.json["credits_required"] as? Int == 150)
            #expect(try dear.json["credits_available"] as? Int == 100)
            #expect(try dear.json["credits_needed"] as? Int == 50)
            let packs = try #require(try (dear.json["offers"] as? [String: Any])?["packs"] as? [[String: Any]])
            #expect(packs.first?["total_credits"] as? Int == 50)

            let cheap = #"{"class_id":"dear-1","max_amount":149}"#
            let headers = ["Idempotency-Key": "once"]
            let changed = try await server.send(.post, "/bookings", as: user, headers: headers, body: cheap)
            #expect(changed.problem == "price-changed" || changed.problem == "insufficient-credits")

            // A refusal does not consume its key: after another pack, the same request succeeds.
            _ = try await server.submit(try await server.buy(user, separate: true).receipt, as: user)
            #expect(try await server.book("dear-1", as: user, key: "once").status == 201)
        }
    }

    @Test func `every seat is sold once, and no more`() async throws {
        try await ServerHarness.withDatabase { server in
            #expect(try await server.makeClass("small-1", capacity: 3).status == 200)
            let users = (0..<8).map { _ in ServerHarness.someone() }
            for user in users { _ = try await server.submit(try await server.buy(user).receipt, as: user) }
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for user in users { group.addTask { try await server.book("small-1", as: user) } }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 3)
            #expect(answers.count { $0.problem == "class-full" } == 5)
            #expect(try await server.send(.get, "/classes/small-1").json["seats_left"] as? Int == 0)
        }
    }
}
