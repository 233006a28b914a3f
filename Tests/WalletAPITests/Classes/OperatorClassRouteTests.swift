import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@Suite(.database) struct OperatorClassRouteTests {
    private func settle(_ server: ServerHarness) async throws {
        while try await server.wallet.settleClasses(limit: 10) > 0 {}
    }

    private func booking(_ server: ServerHarness, of user: String) async throws -> [String: Any] {
        let list = try await server.send(.get, "/bookings", as: user)
        return try #require(try (list.json["bookings"] as? [[String: Any]])?.first)
    }

    @Test(
        arguments: ["starts_at", "ends_at"],
        ["2027-02-29T10:00:00Z", "2027-03-01T25:00:00Z", "2027-03-01T10:00:60Z"]
    )
    func `a class at an instant that does not exist is refused with the member's name`(
        member: String,
        instant: String
    ) async throws {
        try await ServerHarness.withDatabase { server in
            var body = try await server.definition(startingIn: 48)
            body[member] = instant
            let answer = try await server.operate(.put, "/operator/classes/\(ServerHarness.someClass())", json: body)
            #expect(answer.problem == "malformed-request")
            let detail = try #require(try answer.json["detail"] as? String)
            #expect(detail.contains("\"\(member)\"") && detail.contains(instant), "\(detail)")
        }
    }

    @Test func `a cancelled class takes no bookings and refunds all, however late`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = ServerHarness.someClass()
            let user = ServerHarness.someone()
            // The class begins within a day, so a member's own cancellation would be late.
            #expect(try await server.makeClass(id, startingIn: 3).status == 200)
            try await server.give(20, to: user)
            #expect(try await server.book(id, as: user).status == 201)

            let path = "/operator/classes/\(id)/cancel"
            let cancelled = try await server.operate(.post, path, key: "c", json: ["reason": "The kiln is broken."])
            #expect(cancelled.status == 200)
            #expect(try cancelled.json["status"] as? String == "cancelled")
            let again = try await server.operate(.post, path, key: "c", json: ["reason": "The kiln is broken."])
            #expect(again.status == 200)
            let reused = try await server.operate(.post, path, key: "c", json: ["reason": "Another one."])
            #expect(reused.problem == "idempotency-key-reused")
            #expect(try await server.book(id, as: ServerHarness.someone()).problem == "class-closed")
            #expect(try await server.wait(for: id, as: ServerHarness.someone()).problem == "class-closed")

            try await self.settle(server)
            let booking = try await self.booking(server, of: user)
            #expect(booking["status"] as? String == "cancelled")
            #expect(booking["cancelled_by"] as? String == "studio")
            #expect(booking["late_cancel"] as? Bool == false)
            #expect((booking["returned"] as? [String: Any])?["amount"] as? Int == 20)
            #expect(try await server.credits(of: user) == 20)
        }
    }

    @Test func `a moved class is free to cancel until its new start`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = ServerHarness.someClass()
            let user = ServerHarness.someone()
            #expect(try await server.makeClass(id, startingIn: 3).status == 200)
            try await server.give(40, to: user)
            #expect(try await server.book(id, as: user).status == 201)
            let before = try await self.booking(server, of: user)
            #expect(before["moved"] as? Bool == false)

            let moved = try await server.definition(startingIn: 5)
            #expect(try await server.operate(.put, "/operator/classes/\(id)", json: moved).status == 200)
            let booking = try await self.booking(server, of: user)
            #expect(booking["moved"] as? Bool == true)
            #expect(booking["status"] as? String == "booked")
            let start = try #require(moved["starts_at"] as? String)
            #expect(booking["starts_at"] as? String == start)
            #expect((booking["cancellation"] as? [String: Any])?["free_until"] as? String == start)
            // A booking made after the move accepts the new time.
            let other = ServerHarness.someone()
            try await server.give(20, to: other)
            #expect(try await server.book(id, as: other).status == 201)
            #expect(try await self.booking(server, of: other)["moved"] as? Bool == false)

            let bookingID = try #require(booking["booking_id"] as? String)
            let cancelled = try await server.send(.post, "/bookings/\(bookingID)/cancel", as: user)
            let after = try #require(try cancelled.json["booking"] as? [String: Any])
            #expect(after["late_cancel"] as? Bool == false)
            #expect((after["returned"] as? [String: Any])?["amount"] as? Int == 20)
            #expect(try await server.credits(of: user) == 40)
        }
    }

    @Test func `a class cannot be created in the past or moved there`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = ServerHarness.someClass()
            let made = try await server.makeClass(id, startingIn: -1)
            #expect(made.status == 422)
            #expect(made.problem == "class-in-the-past")
            #expect(try await server.send(.get, "/classes/\(id)").status == 404)
            #expect(try await server.makeClass(id, startingIn: 3).status == 200)
            let moved = try await server.makeClass(id, startingIn: -24 * 365)
            #expect(moved.status == 422)
            #expect(moved.problem == "class-in-the-past")
            #expect(try await server.makeClass(id, startingIn: 4).status == 200)
        }
    }

    @Test func `only an existing future class can be cancelled, with a reason`() async throws {
        try await ServerHarness.withDatabase { server in
            let reason = ["reason": "No teacher."]
            let none = try await server.operate(.post, "/operator/classes/no-such-class/cancel", json: reason)
            #expect(none.problem == "class-not-found")
            let past = ServerHarness.someClass()
            #expect(try await server.makeClass(past).status == 200)
            try await ServerHarness.sql(
                "UPDATE wallet.classes SET starts_at = now() - interval '1 hour' WHERE class_id = '\(past)'"
            )
            let begun = try await server.operate(.post, "/operator/classes/\(past)/cancel", json: reason)
            #expect(begun.problem == "class-closed")
        }
        try await ServerHarness.withoutDatabase { server in
            let path = "/operator/classes/a/cancel"
            let long = String(repeating: "x", count: 501)
            for body: [String: any Sendable] in [
                [:], ["reason": ""], ["reason": "  "], ["reason": "a\nb"], ["reason": long],
                ["reason": "\u{2003}"], ["reason": "a\u{202E}b"],
            ] {
                #expect(try await server.operate(.post, path, json: body).problem == "malformed-request")
            }
            let token = try ServerHarness.operatorToken()
            let keyless = try await server.send(.post, path, token: token, body: #"{"reason":"No teacher."}"#)
            #expect(keyless.problem == "idempotency-key-missing")
            let bodiless = try await server.send(.post, path, token: token, headers: ["Idempotency-Key": "k"])
            #expect(try bodiless.json["detail"] as? String == "The member \"reason\" is required.")
            let user = try await server.send(.post, path, as: "u", body: #"{"reason":"No teacher."}"#)
            #expect(user.problem == "unauthenticated")
        }
    }
}
