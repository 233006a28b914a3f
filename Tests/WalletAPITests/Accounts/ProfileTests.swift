import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of names and email addresses from tokens and operators, and of the search for users by them.
@Suite(.database) struct ProfileTests {
    private static func put(
        _ server: ServerHarness,
        _ user: String,
        _ members: [String: any Sendable],
        key: String = UUID().uuidString
    ) async throws -> Answer {
        let members = members.merging(["reason": "asked by phone"]) { first, _ in first }
        return try await server.operate(.put, "/operator/users/\(user)/profile", key: key, json: members)
    }

    private static func users(_ server: ServerHarness, _ query: String) async throws -> [[String: Any]] {
        let answer = try await server.send(.get, "/operator/users?\(query)", token: ServerHarness.operatorToken())
        return try #require(try answer.json["users"] as? [[String: Any]], "\(answer.text)")
    }

    private static func claims(_ name: String, _ email: String) -> [String: any Sendable] {
        ["user_metadata": ["full_name": name], "email": email]
    }

    @Test func `a token's name and address are stored once the user has an account`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let name = "Nora \(user.prefix(8))"
            let token = try ServerHarness.token(user, Self.claims(name, "nora@example.org"))
            #expect(try await server.send(.get, "/balance", token: token).status == 200)
            #expect(try await Self.users(server, "q=\(user)").isEmpty)
            try await server.give(5, to: user)
            #expect(try await server.send(.get, "/balance", token: token).status == 200)
            #expect(try await Self.users(server, "q=\(user.prefix(8))%20zara").isEmpty)
            let found = try await Self.users(server, "q=NORA%20\(user.prefix(8))")
            #expect(found.map { $0["user_id"] as? String } == [user])
            #expect(found.map { $0["name"] as? String } == [name])
            #expect(found.map { $0["email"] as? String } == ["nora@example.org"])
            #expect(found.map { $0["credits"] as? Int } == [5])
            #expect(try await Self.users(server, "q=\(user.dropFirst(3).prefix(12))").count == 1)
        }
    }

    @Test func `an operator sets and removes a name, which lists and the search show`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session).status == 200)
            try await server.give(30, to: user)
            try #require(try await server.book(session, as: user).status == 201)
            let key = UUID().uuidString
            let name = "Zoë \(user.prefix(8))"
            let done = try await Self.put(server, user, ["name": name, "user_id": "another"], key: key)
            #expect(done.status == 200, "\(done.text)")
            #expect((try done.json["after"] as? [String: Any])?["name"] as? String == name)
            let again = try await Self.put(server, user, ["name": name, "user_id": "another"], key: key)
            #expect(again.headers[.idempotentReplayed] == "true")
            let roster = try await server.send(
                .get,
                "/operator/classes/\(session)/roster",
                token: ServerHarness.operatorToken()
            )
            #expect((try roster.json["roster"] as? [[String: Any]])?.first?["user_name"] as? String == name)
            let search = try await server.send(
                .get,
                "/operator/search?q=\(user.prefix(8))",
                token: ServerHarness.operatorToken()
            )
            let hits = try #require(try search.json["hits"] as? [[String: Any]])
            #expect(hits.first?["user_name"] as? String == name)
            #expect(try await Self.put(server, user, ["email": "nonsense"]).status == 422)
            #expect(try await Self.put(server, user, ["name": "a\u{202E}b"]).problem == "malformed-request")
            #expect(try await Self.put(server, ServerHarness.someone(), ["name": "x"]).problem == "user-not-found")
            #expect(try await Self.put(server, user, [:]).status == 200)
            #expect(try await Self.users(server, "user_id=\(user)").map { $0["name"] is NSNull } == [true])
            let token = try ServerHarness.operatorToken(groups: ["all"])
            let viewer = try await server.send(.put, "/operator/users/\(user)/profile", token: token)
            #expect([400, 403].contains(viewer.status))
        }
    }

    private static let profiles: [(String, String?, String?)] = [
        (#"{"name": "Ann", "email": "ann@example.org", "email_verified": true}"#, "Ann", "ann@example.org"),
        (#"{"name": "Ann", "email": "ann@example.org"}"#, "Ann", "ann@example.org"),
        (#"{"name": "Ann", "email": "ann@example.org", "email_verified": false}"#, "Ann", nil),
        (#"{"name": ["Ann"], "email": "ann@example.org"}"#, nil, "ann@example.org"),
    ]

    @Test(arguments: Self.profiles)
    func `claims are read, and an unverified address is ignored`(text: String, name: String?, email: String?) throws {
        let claims = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let profile = ProfileClaims(name: "name", email: "email").profile(in: claims)
        #expect(profile == UserProfile(name: name, email: email))
        #expect(ProfileClaims(name: "profile.name", email: nil).profile(in: claims) == nil)
    }
}
