import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `GET /operator/users/{id}/timeline`, which explains how a user lost credits.
@Suite(.database) struct OperatorTimelineRouteTests {
    private static func timeline(_ server: ServerHarness, _ user: String, _ query: String = "") async throws -> Answer {
        try await server.send(.get, "/operator/users/\(user)/timeline\(query)", token: ServerHarness.operatorToken())
    }

    @Test func `a late cancellation is explained, page by page`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session, startingIn: 1).status == 200)
            try await server.give(20, to: user)
            let booked = try await server.book(session, as: user)
            let id = try #require((try booked.json["booking"] as? [String: Any])?["booking_id"] as? String)
            _ = try await server.send(.post, "/bookings/\(id)/cancel", as: user)

            let whole = try await Self.timeline(server, user)
            let facts = try #require(try whole.json["facts"] as? [[String: Any]], "\(whole.text)")
            #expect(facts.count == 3)
            #expect(facts.first?["booking_id"] as? String == id)
            #expect((facts.first?["fact"] as? String)?.contains("late") == true, "\(whole.text)")
            #expect(facts.last?["amount"] as? Int == 20)
            #expect(facts.last?["reason"] as? String == "for a test")
            #expect(try whole.json["next_cursor"] is NSNull)

            var read: [String] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await Self.timeline(server, user.uppercased(), "?limit=1\(more)")
                let facts = try #require(try page.json["facts"] as? [[String: Any]], "\(page.text)")
                read += facts.compactMap { $0["fact"] as? String }
                cursor = try page.json["next_cursor"] as? String
            } while cursor != nil && read.count < 9
            #expect(read == facts.compactMap { $0["fact"] as? String })
        }
    }

    @Test func `only operators may read it, and the user must exist`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            #expect(try await server.send(.get, "/operator/users/\(user)/timeline", as: user).status == 401)
            #expect(try await Self.timeline(server, user).problem == "user-not-found")
            try await server.give(1, to: user)
            #expect(try await Self.timeline(server, user, "?cursor=zzz").problem == "malformed-request")
        }
    }
}
