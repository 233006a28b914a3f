import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of `POST /operator/actions/compensate-class` and `compensate-users`.
@Suite(.database) struct CompensationRouteTests {
    private static func compensate(
        _ server: ServerHarness,
        _ action: String,
        _ members: [String: any Sendable],
        query: String = ""
    ) async throws -> Answer {
        let common: [String: any Sendable] = ["unit": "credit", "reason": "The heating failed."]
        return try await server.operate(
            .post,
            "/operator/actions/\(action)\(query)",
            key: UUID().uuidString,
            json: common.merging(members) { $1 }
        )
    }

    private static func results(_ answer: Answer) throws -> [String] {
        let lines = try answer.json["lines"] as? [[String: Any]] ?? []
        return lines.map { "\($0["result"] as? String ?? "-") \($0["reason"] as? String ?? "")" }
    }

    @Test func `each user of a list is compensated once, and the others are reported`() async throws {
        try await ServerHarness.withDatabase { server in
            let (ann, bob) = (ServerHarness.someone(), ServerHarness.someone())
            try await server.give(10, to: ann)
            try await server.give(10, to: bob)
            let reference = "list-\(UUID().uuidString)"
            let csv = "user_id;amount\n\(ann.uppercased());\n\(bob);7\nnobody-\(reference);\n\(bob);7\n"
            let members: [String: any Sendable] = ["csv": csv, "amount": 5, "reference": reference]
            let refusals = ["refused user-not-found", "refused user-repeated"]

            let both = members.merging(["users": [["user_id": ann]]]) { $1 }
            let unclear = try await Self.compensate(server, "compensate-users", both)
            #expect(unclear.problem == "malformed-request", "\(unclear.text)")

            let preview = try await Self.compensate(server, "compensate-users", members, query: "?dry_run=true")
            #expect(preview.status == 200, "\(preview.text)")
            #expect(try Self.results(preview) == ["pending ", "pending "] + refusals)
            #expect(try preview.json["total"] as? Int == 12)
            #expect(try await server.credits(of: ann) == 10)

            let shown = try #require(try preview.json["preview"] as? String)
            let done = try await Self.compensate(server, "compensate-users", members, query: "?preview=\(shown)")
            #expect(done.status == 200, "\(done.text)")
            #expect(try Self.results(done) == ["added ", "added "] + refusals)
            #expect(try await server.credits(of: ann) == 15)
            #expect(try await server.credits(of: bob) == 17)

            let again = try await Self.compensate(server, "compensate-users", members)
            #expect(try Self.results(again) == ["already_added ", "already_added "] + refusals)
            #expect(try await server.credits(of: ann) == 15)
            let other = try await Self.compensate(
                server,
                "compensate-users",
                members.merging(["reason": "Another reason."]) { $1 }
            )
            #expect(other.problem == "reference-reused")
        }
    }

    @Test func `a list longer than one transaction is compensated completely`() async throws {
        try await ServerHarness.withDatabase { server in
            let users = (0..<120).map { _ in ServerHarness.someone() }
            let done = try await Self.compensate(
                server,
                "compensate-users",
                [
                    "users": users.map { ["user_id": $0] }, "amount": 2, "new_user": true,
                    "reference": "long-\(UUID().uuidString)",
                ]
            )
            #expect(done.status == 200, "\(done.text)")
            #expect(try Self.results(done) == users.map { _ in "added " })
            #expect(try done.json["pending"] as? Int == 0)
            #expect(try await server.credits(of: users[119]) == 2)
        }
    }

    @Test func `the members of a class are compensated`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session).status == 200)
            try await server.give(30, to: user)
            _ = try await server.book(session, as: user)
            let members: [String: any Sendable] = [
                "class_id": session, "amount": 5, "reference": "class-\(UUID().uuidString)",
            ]
            let done = try await Self.compensate(server, "compensate-class", members)
            #expect(done.status == 200, "\(done.text)")
            #expect(try Self.results(done) == ["added "])
            #expect(try await server.credits(of: user) == 15)
        }
    }

    @Test func `an invalid compensation is refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let reference = "refused-\(UUID().uuidString)"
            let refused: [(action: String, members: [String: any Sendable], problem: String)] = [
                ("compensate-users", ["reference": reference, "amount": 5], "malformed-request"),
                ("compensate-users", ["reference": reference, "amount": 5, "class_id": "c"], "malformed-request"),
                ("compensate-class", ["reference": reference, "amount": 5], "malformed-request"),
                ("compensate-class", ["reference": reference, "class_id": "c", "amount": 0], "malformed-request"),
                (
                    "compensate-class", ["reference": reference, "class_id": "no-such-class", "amount": 5],
                    "class-not-found"
                ),
                (
                    "compensate-users", ["reference": reference, "csv": "ann", "amount": 1_000_000],
                    "amount-too-large"
                ),
            ]
            for (action, members, problem) in refused {
                let answer = try await Self.compensate(server, action, members)
                #expect(answer.problem == problem, "\(members)")
            }
        }
    }
}
