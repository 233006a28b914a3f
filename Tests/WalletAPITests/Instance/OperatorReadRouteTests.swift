import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `GET /operator/search` and of the operators' views of a user and of a class.
@Suite(.database) struct OperatorReadRouteTests {
    private static func get(_ server: ServerHarness, _ path: String) async throws -> Answer {
        try await server.send(.get, "/operator/\(path)", token: ServerHarness.operatorToken())
    }

    @Test func `an operator gets the same responses as the user`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session, startingIn: 48).status == 200)
            try await server.give(50, to: user)
            try #require(try await server.book(session, as: user).status == 201)
            for path in ["transactions", "purchases", "subscriptions", "bookings"] {
                let own = try await server.send(.get, "/\(path)", as: user)
                // Another spelling of the id gives the same result.
                let shown = try await Self.get(server, "users/\(user.uppercased())/\(path)")
                #expect(shown.status == 200, "\(path): \(shown.text)")
                #expect(shown.text == own.text, "\(path)")
            }
            let own = try await server.send(.get, "/balance", as: user)
            let shown = try await Self.get(server, "users/\(user)")
            let wallets = try #require(try shown.json["wallets"] as? [String: [String: Any]], "\(shown.text)")
            let credits = try #require(try own.json["credits"] as? Int)
            #expect(wallets["production"]?["credits"] as? Int == credits)
            #expect(wallets["production"]?["user_id"] as? String == user)
            #expect(wallets["sandbox"]?["environment"] as? String == "sandbox")
            #expect(wallets["sandbox"]?["credits"] as? Int == 0)
            let profile = try #require(try shown.json["user"] as? [String: Any])
            #expect(profile["user_id"] as? String == user)
            #expect(profile["credits"] as? Int == credits)
            #expect(profile["name"] is NSNull)
            #expect((try shown.json["flags"] as? [Any])?.isEmpty == true)
            let past = try await Self.get(server, "users/\(user)/bookings?status=past")
            let gone = try #require(try past.json["bookings"] as? [Any])
            #expect(gone.isEmpty)
        }
    }

    @Test func `a class comes with its roster and its waitlist, also after a cancellation`() async throws {
        try await ServerHarness.withDatabase { server in
            let (first, second, session) = (ServerHarness.someone(), ServerHarness.someone(), ServerHarness.someClass())
            try #require(try await server.makeClass(session, capacity: 1, startingIn: 48).status == 200)
            try await server.give(50, to: first)
            try await server.give(50, to: second)
            try #require(try await server.book(session, as: first).status == 201)
            let waiting = try await server.send(.post, "/classes/\(session)/waitlist", as: second, body: "{}")
            try #require(waiting.status == 201, "\(waiting.text)")
            func users(_ name: String, _ answer: Answer) throws -> [String?] {
                let rows = try #require(try answer.json[name] as? [[String: Any]], "\(answer.text)")
                return rows.map { $0["user_id"] as? String }
            }
            let shown = try await Self.get(server, "classes/\(session)")
            #expect((try shown.json["class"] as? [String: Any])?["waiting"] as? Int == 1, "\(shown.text)")
            #expect(try users("roster", shown) == [first])
            #expect(try users("waitlist", shown) == [second])
            #expect(try shown.json["roster_next_cursor"] is NSNull)
            #expect(try users("roster", try await Self.get(server, "classes/\(session)/roster")) == [first])
            #expect(try users("waitlist", try await Self.get(server, "classes/\(session)/waitlist")) == [second])
            let cancelled = try await server.operate(
                .post,
                "/operator/classes/\(session)/cancel",
                json: ["reason": "the kiln is broken"]
            )
            #expect(cancelled.status == 200, "\(cancelled.text)")
            let after = try await Self.get(server, "classes/\(session)")
            #expect((try after.json["class"] as? [String: Any])?["status"] as? String == "cancelled")
            #expect(try users("roster", after) == [first])
            for path in ["", "/roster", "/waitlist"] {
                let unknown = try await Self.get(server, "classes/\(ServerHarness.someClass())\(path)")
                #expect(unknown.problem == "class-not-found", "\(path)")
            }
        }
    }

    @Test func `a search finds users, bookings and classes`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session, startingIn: 48).status == 200)
            try await server.give(50, to: user)
            let booked = try await server.book(session, as: user)
            let id = try #require((try booked.json["booking"] as? [String: Any])?["booking_id"] as? String)
            for (text, kind, owner) in [
                (user, "user", user), (id.uppercased(), "booking", user), (session, "class", nil),
            ] {
                let found = try await Self.get(server, "search?q=\(text)")
                let hits = try #require(try found.json["hits"] as? [[String: Any]], "\(found.text)")
                let hit = try #require(hits.first, "\(text)")
                #expect(hit["kind"] as? String == kind)
                #expect((hit["id"] as? String)?.lowercased() == text.lowercased())
                #expect(hit["user_id"] as? String == owner)
            }
            let none = try await Self.get(server, "search?q=nobody-\(user)")
            let hits = try #require(try none.json["hits"] as? [Any])
            #expect(hits.isEmpty)
        }
    }

    @Test func `a search by a request id finds its booking`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(50, to: user)
            let key = UUID().uuidString
            let classes = try await Self.classes(3, on: server)
            let booked = try await server.book(classes[0], as: user, key: key)
            let called = try await server.bookWithCredits(classes[1], as: user)
            for (answer, booking) in [
                (booked, (try booked.json["booking"] as? [String: Any])?["booking_id"]),
                (called, (try called.json["data"] as? [String: Any])?["booking_id"]),
            ] {
                #expect(answer.status == 201, "\(answer.text)")
                let request = try #require(answer.headers[.requestID])
                #expect(booking as? String == request)
                let hits = try await Self.hits(request, on: server)
                #expect(hits.map { $0["kind"] as? String } == ["booking"])
                #expect(hits.first?["user_id"] as? String == user)
            }
            let again = try await server.book(classes[0], as: user, key: key)
            #expect(again.status == 200)
            #expect(try await Self.hits(try #require(again.headers[.requestID]), on: server).isEmpty)
        }
    }

    @Test func `a search by a client's own request id finds no booking`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(50, to: user)
            let brought = UUID().uuidString.lowercased()
            for id in try await Self.classes(2, on: server) {
                let booked = try await server.send(
                    .post,
                    "/bookings",
                    as: user,
                    headers: ["Idempotency-Key": UUID().uuidString, "X-Request-Id": brought],
                    body: #"{"class_id":"\#(id)"}"#
                )
                #expect(booked.status == 201, "\(booked.text)")
                #expect(booked.headers[.requestID] == brought)
            }
            #expect(try await Self.hits(brought, on: server).isEmpty)
        }
    }

    @Test func `a search by an action's key finds the action`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, key) = (ServerHarness.someone(), UUID().uuidString)
            try await server.give(50, to: user)
            let done = try await server.send(
                .post,
                "/operator/actions/set-tester",
                token: ServerHarness.operatorToken(),
                headers: ["Idempotency-Key": key],
                json: ["user_id": user, "tester": true, "reason": "tries it out"]
            )
            #expect(done.status == 200, "\(done.text)")
            let hits = try await Self.hits(key, on: server)
            #expect(hits.map { $0["kind"] as? String } == ["action"])
            #expect(hits.first?["user_id"] as? String == user)
        }
    }

    private static func classes(_ count: Int, on server: ServerHarness) async throws -> [String] {
        let classes = (0..<count).map { _ in ServerHarness.someClass() }
        for id in classes { try #require(try await server.makeClass(id, startingIn: 48).status == 200) }
        return classes
    }

    private static func hits(_ text: String, on server: ServerHarness) async throws -> [[String: Any]] {
        let found = try await Self.get(server, "search?q=\(text)")
        return try #require(try found.json["hits"] as? [[String: Any]], "\(found.text)")
    }

    @Test func `reads of a user, exports and refused changes are written down`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, actor) = (ServerHarness.someone(), ServerHarness.someone())
            try await server.give(5, to: user)
            let token = try ServerHarness.operatorToken(actor)
            let support = try ServerHarness.operatorToken(actor, groups: ["desk"])
            for path in [
                "users/\(user)", "users/\(user)/transactions", "users/\(user)/timeline",
                "users/\(user)/lots?format=csv", "audit?user_id=\(user)&format=csv", "classes?format=csv",
                "search?q=\(user)",
            ] {
                let read = try await server.send(.get, "/operator/\(path)", token: token)
                #expect(read.status == 200, "\(path)")
            }
            let adjustment: [String: any Sendable] = [
                "user_id": user, "unit": "credit", "amount": 1, "reason": "why", "reference": UUID().uuidString,
            ]
            for (query, headers) in [("", ["Idempotency-Key": UUID().uuidString]), ("?dry_run=true", [:])] {
                let path = "/operator/adjustments\(query)"
                let refused = try await server.send(.post, path, token: support, headers: headers, json: adjustment)
                #expect(refused.problem == "right-missing")
            }
            let short = try await server.send(
                .post,
                "/operator/adjustments",
                token: token,
                headers: ["Idempotency-Key": UUID().uuidString],
                json: adjustment.merging(["amount": -6]) { $1 }
            )
            #expect(short.problem == "balance-too-low")
            let rows = try await server.send(.get, "/operator/audit?actor=\(actor)", token: token)
            let audit = try #require(try rows.json["audit"] as? [[String: Any]])
            let lines = audit.reversed().map { row in
                [
                    row["action"] as? String, row["object_id"] as? String, row["user_id"] as? String,
                    (row["after"] as? [String: Any])?["problem"] as? String,
                ].compactMap { $0 }.joined(separator: " ")
            }
            #expect(
                lines == [
                    "read-user \(user)", "export users/lots \(user)", "export audit \(user)", "export classes",
                    "refused adjustments right-missing",
                    "refused adjustments right-missing", "refused adjustments balance-too-low",
                ]
            )
        }
    }

    @Test func `only operators may read, and the user must exist`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for path in ["", "/timeline", "/lots", "/transactions", "/purchases", "/subscriptions", "/bookings"] {
                let asUser = try await server.send(.get, "/operator/users/\(user)\(path)", as: user)
                #expect(asUser.status == 401)
                let unknown = try await Self.get(server, "users/\(user)\(path)")
                #expect(unknown.problem == "user-not-found", "\(path): \(unknown.text)")
                let long = try await Self.get(server, "users/\(String(repeating: "x", count: 321))\(path)")
                #expect(long.problem == "malformed-request", "\(path): \(long.text)")
            }
            for old in [
                "balance", "transactions", "purchases", "timeline", "roster", "waitlist", "all-bookings",
                "all-subscriptions", "lots",
            ] {
                let gone = try await Self.get(server, "\(old)?user_id=\(user)")
                #expect(gone.problem == "route-not-found", "\(old)")
            }
            let asUser = try await server.send(.get, "/operator/search?q=abc", as: user)
            #expect(asUser.status == 401)
            for query in ["", "?q=", "?q=abc&limit=101"] {
                let refused = try await Self.get(server, "search\(query)")
                #expect(refused.problem == "malformed-request")
            }
        }
    }
}
