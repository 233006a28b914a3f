import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@Suite(.database) struct WaitlistRouteTests {
    /// Creates a class whose only seat is booked.
    private func fullClass(
        _ server: ServerHarness,
        _ more: [String: any Sendable] = [:]
    ) async throws -> (id: String, holder: String, bookingID: String) {
        let id = ServerHarness.someClass()
        let holder = ServerHarness.someone()
        let definition = try await server.definition(capacity: 1, more)
        #expect(try await server.operate(.put, "/operator/classes/\(id)", json: definition).status == 200)
        try await server.give(20, to: holder)
        let booked = try await server.book(id, as: holder)
        let booking = try #require(try booked.json["booking"] as? [String: Any])
        return (id, holder, try #require(booking["booking_id"] as? String))
    }

    @Test func `a request without a body waits for one seat`() async throws {
        try await ServerHarness.withDatabase { server in
            let full = try await self.fullClass(server)
            let joined = try await server.send(.post, "/classes/\(full.id)/waitlist", as: ServerHarness.someone())
            #expect(joined.status == 201, "\(joined.text)")
            #expect(try (joined.json["waitlist"] as? [String: Any])?["seats"] as? Int == 1)
        }
    }

    @Test func `a member joins the waitlist, sees the place, and leaves`() async throws {
        try await ServerHarness.withDatabase { server in
            let full = try await self.fullClass(server)
            let users = [ServerHarness.someone(), ServerHarness.someone()]

            for (user, place) in zip(users, 1...) {
                let joined = try await server.wait(for: full.id, as: user)
                #expect(joined.status == 201, "\(joined.text)")
                let waitlist = try #require(try joined.json["waitlist"] as? [String: Any])
                #expect(Set(waitlist.keys) == Set(Self.members))
                #expect(waitlist["place"] as? Int == place)
                #expect(waitlist["seats"] as? Int == 1)
            }
            let again = try await server.wait(for: full.id, as: users[1])
            #expect(again.status == 200)
            #expect(try (again.json["waitlist"] as? [String: Any])?["place"] as? Int == 2)
            let state = try await server.send(.get, "/classes/\(full.id)").json["waitlist"] as? [String: Int]
            #expect(state == ["cutoff_minutes": 60, "length": 2])

            #expect(try await server.send(.delete, "/classes/\(full.id)/waitlist", as: users[0]).status == 204)
            #expect(try await server.send(.delete, "/classes/\(full.id)/waitlist", as: users[0]).status == 204)
            #expect(try await self.places(server, of: users[0]) == [])
            #expect(try await self.places(server, of: users[1]) == [1])
        }
    }

    private static let members = ["class_id", "class_title", "starts_at", "seats", "place", "joined_at"]

    private func places(_ server: ServerHarness, of user: String, _ query: String = "") async throws -> [Int] {
        let answer = try await server.send(.get, "/bookings\(query)", as: user)
        let waitlist = try #require(try answer.json["waitlist"] as? [[String: Any]])
        return waitlist.compactMap { $0["place"] as? Int }
    }

    @Test func `places are on the first page of all bookings and of upcoming ones`() async throws {
        try await ServerHarness.withDatabase { server in
            let full = try await self.fullClass(server)
            let user = ServerHarness.someone()
            try await server.give(40, to: user)
            for _ in 0..<2 {
                let id = ServerHarness.someClass()
                #expect(try await server.makeClass(id).status == 200)
                #expect(try await server.book(id, as: user).status == 201)
            }
            #expect(try await server.wait(for: full.id, as: user).status == 201)

            let first = try await server.send(.get, "/bookings?limit=1", as: user)
            #expect(try (first.json["waitlist"] as? [Any])?.count == 1)
            let cursor = try #require(try first.json["next_cursor"] as? String)
            #expect(try await self.places(server, of: user, "?limit=1&cursor=\(cursor)") == [])
            #expect(try await self.places(server, of: user, "?status=upcoming") == [1])
            #expect(try await self.places(server, of: user, "?status=past") == [])
            #expect(try await self.places(server, of: user, "?status=cancelled") == [])
            let sandbox = try await server.send(
                .get,
                "/bookings",
                as: user,
                headers: ["Wallet-Environment": "sandbox"]
            )
            #expect(try (sandbox.json["waitlist"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a freed seat is reserved for the waitlist, and its booking shows its origin`() async throws {
        try await ServerHarness.withDatabase { server in
            let full = try await self.fullClass(server)
            let user = ServerHarness.someone()
            let other = ServerHarness.someone()
            try await server.give(25, to: user)
            try await server.give(25, to: other)
            #expect(try await server.wait(for: full.id, as: user).status == 201)
            #expect(try await server.send(.delete, "/bookings/\(full.bookingID)", as: full.holder).status == 200)
            #expect(try await server.book(full.id, as: other).problem == "class-full")
            #expect(try await server.send(.get, "/classes/\(full.id)").json["seats_left"] as? Int == 0)

            let seats = ClassSeats(classID: full.id, environment: .production)
            #expect(try await server.wallet.classesToPromote(limit: 100).contains(seats))
            #expect(try await server.wallet.promoteNext(seats) == .booked)
            #expect(try await server.wallet.promoteNext(seats) == .done)
            let list = try await server.send(.get, "/bookings", as: user)
            let booking = try #require(try (list.json["bookings"] as? [[String: Any]])?.first)
            #expect(booking["from_waitlist"] as? Bool == true)
            #expect(booking["moved"] as? Bool == false)
            #expect(booking["cancelled_by"] is NSNull)
            #expect(booking["amount"] as? Int == 20)
            #expect(try await self.places(server, of: user) == [])
            #expect(try await server.credits(of: user) == 5)

            let left = try await server.send(.delete, "/classes/\(full.id)/waitlist", as: user)
            #expect(left.problem == "already-booked")
            #expect(try left.json["booking_id"] as? String == booking["booking_id"] as? String)
        }
    }

    @Test func `refused requests for a waitlist return the documented problems`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let free = ServerHarness.someClass()
            #expect(try await server.makeClass(free).status == 200)
            let available = try await server.wait(for: free, as: user)
            #expect(available.problem == "seats-available")
            #expect(try available.json["seats_left"] as? Int == 10)
            #expect(try await server.wait(for: "no-such-class", as: user).problem == "class-not-found")
            #expect(try await server.wait(for: "no such", as: user).status == 404)
            let none = try await server.send(.delete, "/classes/no-such-class/waitlist", as: user)
            #expect(none.problem == "class-not-found")

            let full = try await self.fullClass(server)
            let holder = try await server.wait(for: full.id, as: full.holder)
            #expect(holder.problem == "already-booked")
            #expect(try holder.json["booking_id"] as? String == full.bookingID)
            #expect(try await server.wait(for: full.id, as: user).status == 201)
            let other = try await server.wait(for: full.id, as: user, ["max_amount": 5])
            #expect(other.problem == "already-waiting")
            #expect(try other.json["place"] as? Int == 1)

            let soon = try await self.fullClass(server, ["waitlist": ["cutoff_minutes": 5_000]])
            let closed = try await server.wait(for: soon.id, as: user)
            #expect(closed.problem == "waitlist-closed")
            #expect(try closed.json["closed_at"] is String)
        }
    }

    @Test(arguments: [
        #"{"seats":0}"#, #"{"seats":101}"#, #"{"seats":"two"}"#, #"{"pay_with":"cash"}"#, #"{"max_amount":-1}"#, "[]",
    ])
    func `a request for an impossible booking is malformed`(body: String) async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await server.send(.post, "/classes/a/waitlist", as: ServerHarness.someone(), body: body)
            #expect(answer.problem == "malformed-request")
        }
    }

    @Test func `joining a waitlist requires a token`() async throws {
        try await ServerHarness.withoutDatabase { server in
            #expect(try await server.send(.post, "/classes/a/waitlist", body: "{}").problem == "unauthenticated")
            #expect(try await server.send(.delete, "/classes/a/waitlist").problem == "unauthenticated")
            let method = try await server.send(.put, "/classes/a/waitlist", as: "u", body: "{}")
            #expect(method.headers[.allow] == "DELETE, POST")
        }
    }
}
