import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of `POST /operator/actions/{action}`: operators' actions other than classes, products and adjustments.
@Suite(.database) struct OperatorActionRouteTests {
    private static func act(
        _ server: ServerHarness,
        _ action: String,
        _ members: [String: any Sendable],
        key: String = UUID().uuidString,
        dryRun: Bool = false
    ) async throws -> Answer {
        let path = "/operator/actions/\(action)" + (dryRun ? "?dry_run=true" : "")
        return try await server.operate(.post, path, key: key, json: members.merging(["reason": "ticket 4711"]) { $1 })
    }

    /// Returns the number of audit rows about a user's booking.
    private static func audited(_ booking: String) async throws -> Int {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let rows = try await connection.query(
            "SELECT actor, reason, reference FROM admin.audit WHERE object_id = \(booking) AND action = 'cancel-booking'"
        )
        for row in rows {
            #expect(try row.decode("actor", as: String.self).hasSuffix("mia"))
            #expect(try row.decode("reason", as: String?.self) == "ticket 4711")
        }
        return rows.count
    }

    @Test func `a booking is cancelled once per key, and a dry run writes nothing`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session).status == 200)
            try await server.give(30, to: user)
            let booked = try await server.book(session, as: user)
            let id = try #require((try booked.json["booking"] as? [String: Any])?["booking_id"] as? String)
            let members = ["user_id": user, "booking_id": id]

            let preview = try await Self.act(server, "cancel-booking", members, dryRun: true)
            #expect(preview.status == 200, "\(preview.text)")
            #expect(try preview.json["audit_id"] is NSNull)
            #expect(try preview.json["dry_run"] as? Bool == true)
            #expect(try await server.credits(of: user) == 10)
            #expect(try await Self.audited(id) == 0)

            let key = "cancel-\(id)"
            let done = try await Self.act(server, "cancel-booking", members, key: key)
            #expect(done.status == 200, "\(done.text)")
            #expect(try done.json["audit_id"] is Int)
            #expect(
                NSDictionary(dictionary: try done.json["after"] as? [String: Any] ?? [:]).isEqual(
                    to: try preview.json["after"] as? [String: Any] ?? [:]
                )
            )
            #expect(try await server.credits(of: user) == 30)

            let capitals = ["user_id": user.uppercased(), "booking_id": id.uppercased()]
            let again = try await Self.act(server, "cancel-booking", capitals, key: key)
            #expect(again.headers[.idempotentReplayed] == "true")
            #expect(try again.json["audit_id"] as? Int == (try done.json["audit_id"] as? Int))
            let other = try await Self.act(server, "cancel-booking", members.merging(["in_full": "x"]) { $1 }, key: key)
            #expect(other.problem == "malformed-request")
            let reused = try await Self.act(
                server,
                "cancel-booking",
                ["user_id": user, "booking_id": UUID().uuidString],
                key: key
            )
            #expect(reused.problem == "reference-reused")
            #expect(try await Self.act(server, "cancel-booking", members).problem == "not-cancellable")
            #expect(try await server.credits(of: user) == 30)
            #expect(try await Self.audited(id) == 1)
        }
    }

    @Test func `a late cancellation fee is waived once`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session, startingIn: 1).status == 200)
            try await server.give(20, to: user)
            let booked = try await server.book(session, as: user)
            let id = try #require((try booked.json["booking"] as? [String: Any])?["booking_id"] as? String)
            let members = ["user_id": user, "booking_id": id]
            #expect(try await Self.act(server, "waive-cancellation", members).problem == "nothing-to-waive")
            _ = try await server.send(.post, "/bookings/\(id)/cancel", as: user)
            try #require(try await server.credits(of: user) == 0)
            #expect(try await Self.act(server, "waive-cancellation", members).status == 200)
            #expect(try await server.credits(of: user) == 20)
            #expect(try await Self.act(server, "waive-cancellation", members).problem == "nothing-to-waive")
            #expect(try await server.credits(of: user) == 20)
        }
    }

    @Test func `a tester is added and removed`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(5, to: user)
            for tester in [true, false] {
                let done = try await Self.act(server, "set-tester", ["user_id": user, "tester": tester])
                #expect(try done.json["after"] as? [String: Bool] == ["tester": tester], "\(done.text)")
                let again = try await Self.act(server, "set-tester", ["user_id": user, "tester": tester])
                #expect(again.headers[.idempotentReplayed] == "true")
                #expect(try again.json["audit_id"] is NSNull)
            }
        }
    }

    @Test(arguments: [
        ("cancel-booking", #"{"user_id": "nobody-knows"}"#, "malformed-request"),
        ("cancel-booking", #"{"user_id": "nobody-knows", "booking_id": "7"}"#, "malformed-request"),
        (
            "waive-cancellation",
            #"{"user_id": "nobody-knows", "booking_id": "019a9d3e-5b1a-7c52-8f0e-3a4d5e6f7083"}"#, "user-not-found"
        ),
        ("release-purchase", #"{"user_id": "nobody-knows", "claim_id": 1}"#, "user-not-found"),
        ("undo-release", #"{"claim_id": 1}"#, "malformed-request"),
        ("resolve-flag", #"{"flag_id": 1, "resolution": "forgiven"}"#, "malformed-request"),
        ("resolve-flag", #"{"flag_id": 999999, "resolution": "dismissed"}"#, "flag-not-found"),
        ("replay-message", #"{"inbox_id": 999999}"#, "message-not-found"),
        ("resend-event", #"{"event_id": 999999}"#, "event-not-found"),
        ("set-tester", #"{"user_id": "nobody-knows", "tester": 1}"#, "malformed-request"),
        ("sell-everything", "{}", "route-not-found"),
    ]) func `an impossible action is refused`(action: String, body: String, slug: String) async throws {
        try await ServerHarness.withDatabase { server in
            let text = #"{"reason": "ticket"\#(body == "{}" ? "" : ", ")"# + body.dropFirst()
            let token = try ServerHarness.operatorToken()
            let headers = ["Idempotency-Key": UUID().uuidString]
            for query in ["", "?dry_run=true"] {
                let path = "/operator/actions/\(action)\(query)"
                let answer = try await server.send(.post, path, token: token, headers: headers, body: text)
                #expect(answer.problem == slug, "\(answer.text)")
            }
        }
    }

    @Test func `a key, a reason and an operator are required`() async throws {
        try await ServerHarness.withDatabase { server in
            let path = "/operator/actions/resend-event"
            let body: [String: any Sendable] = ["event_id": 1, "reason": "ticket"]
            let token = try ServerHarness.operatorToken()
            #expect(try await server.send(.post, path, token: token, json: body).problem == "idempotency-key-missing")
            let user = ServerHarness.someone()
            #expect(try await server.send(.post, path, as: user, json: body).status == 401)
            let long = String(repeating: "k", count: 201)
            #expect(try await server.operate(.post, path, key: long, json: body).problem == "malformed-request")
            for reason in ["", " ", "two\nlines"] {
                let answer = try await server.operate(.post, path, json: ["event_id": 1, "reason": reason])
                #expect(answer.problem == "malformed-request")
            }
        }
    }
}
