import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of `GET /passes` and `POST /purchases/{transaction_id}/consume`.
@Suite(.database) struct PassRouteTests {
    @Test func `a visit is spent once per reference`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let pass = try await Self.pass("threeVisit", of: user, in: server)
            let first = try await server.consume(pass, "door 1", as: user)
            #expect(first.status == 200)
            #expect(first.headers[.idempotentReplayed] == nil)
            #expect(try first.json as NSDictionary == ["is_consumed": false, "remaining": 2])
            let faults = try DocumentSchema().faults(
                of: first.json,
                path: "/purchases/{transaction_id}/consume",
                method: "post"
            )
            #expect(faults.isEmpty)
            #expect(try await server.consume(pass, "door 2", as: user).json["remaining"] as? Int == 1)

            let again = try await server.consume(pass, "door 1", as: user)
            #expect(again.status == 200)
            #expect(again.headers[.idempotentReplayed] == "true")
            #expect(try again.json["remaining"] as? Int == 1)

            let last = try await server.consume(pass, "door 3", as: user)
            #expect(try last.json as NSDictionary == ["is_consumed": true, "remaining": 0])
            let none = try await server.consume(pass, "door 4", as: user)
            #expect(none.status == 409)
            #expect(none.problem == "already-consumed")
            #expect(try none.json["remaining"] as? Int == 0)
            #expect(try await server.consume(pass, "door 3", as: user).headers[.idempotentReplayed] == "true")
            #expect(try await server.send(.get, "/balance", as: user).json["visits"] as? Int == 0)
        }
    }

    @Test func `concurrent requests spend only the visits that exist`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let pass = try await Self.pass("fiveVisit", of: user, in: server)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                // Sends each of six references twice.
                for number in 0..<12 {
                    group.addTask { try await server.consume(pass, "door \(number % 6)", as: user) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let spent = answers.filter { $0.status == 200 && $0.headers[.idempotentReplayed] == nil }
            #expect(spent.count == 5)
            #expect(try Set(spent.map { try $0.json["remaining"] as? Int }) == [4, 3, 2, 1, 0])
            #expect(answers.filter { $0.headers[.idempotentReplayed] == "true" }.count == 5)
            #expect(answers.filter { $0.problem == "already-consumed" }.count == 2)
            #expect(try await server.send(.get, "/balance", as: user).json["visits"] as? Int == 0)
            #expect(try await server.wallet.violations().isEmpty)
        }
    }

    @Test func `only a user's own pass can be spent, with a single-line reference`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let pass = try await Self.pass("singleVisit", of: user, in: server)
            for stranger in [ServerHarness.someone(), try await Self.somebodyKnown(in: server)] {
                let answer = try await server.consume(pass, "door", as: stranger)
                #expect(answer.status == 404)
                #expect(answer.problem == "purchase-not-found")
            }
            let sandbox = try await server.consume(pass, "door", as: user, ["Wallet-Environment": "sandbox"])
            #expect(sandbox.problem == "purchase-not-found")
            let pack = try await server.buy(user)
            _ = try await server.submit(pack.receipt, as: user)
            let other = try await server.consume(pack.transactionID, "door", as: user)
            #expect(other.status == 409)
            #expect(other.problem == "purchase-without-visits")
            for body in [
                #"{}"#, #"{"reference":""}"#, #"{"reference":7}"#, #"{"reference":"a\nb"}"#, #"{"reference":"  "}"#,
                #"{"reference":"a\u202eb"}"#,
            ] {
                let answer = try await server.send(.post, "/purchases/\(pass)/consume", as: user, body: body)
                #expect(answer.problem == "malformed-request", "\(body)")
            }
            #expect(try await server.consume(pass, String(repeating: "x", count: 201), as: user).status == 400)
            #expect(try await server.consume(pass, String(repeating: "é", count: 200), as: user).status == 200)
        }
    }

    @Test func `passes list their uses, newest first`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let old = try await Self.pass("fiveVisit", of: user, in: server)
            #expect(try await server.makeVisit("pass-class").status == 200)
            #expect(try await server.book("pass-class", as: user).status == 201)
            _ = try await server.consume(old, "front door", as: user)
            let new = try await Self.pass("tenVisit", of: user, in: server)

            let answer = try await server.send(.get, "/passes", as: user)
            #expect(answer.status == 200)
            #expect(try DocumentSchema().faults(of: answer.json, path: "/passes", method: "get").isEmpty)
            let passes = try #require(try answer.json["passes"] as? [[String: Any]])
            #expect(passes.map { $0["transaction_id"] as? String } == [new, old])
            #expect(passes.map { $0["remaining"] as? Int } == [10, 3])
            #expect(passes.map { $0["is_active"] as? Bool } == [true, true])
            let history = try #require(passes[1]["history"] as? [[String: Any]])
            #expect(history.map { $0["reference"] as? String } == ["front door", nil])
            #expect(history.map { $0["class_id"] as? String } == [nil, "pass-class"])
            #expect(history.map { $0["class_title"] as? String } == [nil, "A visit"])

            let first = try await server.send(.get, "/passes?limit=1", as: user)
            let cursor = try #require(try first.json["next_cursor"] as? String)
            let second = try await server.send(.get, "/passes?limit=1&cursor=\(cursor)", as: user)
            let rest = try #require(try second.json["passes"] as? [[String: Any]])
            #expect(rest.map { $0["transaction_id"] as? String } == [old])
            #expect(try second.json["next_cursor"] is NSNull)
            let stranger = try await server.send(.get, "/passes", as: ServerHarness.someone())
            #expect(try (stranger.json["passes"] as? [Any])?.isEmpty == true)

            let purchase = try await server.send(.get, "/purchases/\(old)", as: user)
            #expect(try DocumentSchema().faults(of: purchase.json, by: "Purchase").isEmpty)
            let uses = try #require(try purchase.json["used_by"] as? [[String: Any]])
            #expect(Set(uses.map { $0["reference"] as? String }) == ["front door", nil])
            #expect(uses.allSatisfy { $0["used_at"] is String })
        }
    }

    /// Buys and submits a pass, which also creates the user.
    private static func pass(_ product: String, of user: String, in server: ServerHarness) async throws -> String {
        let sale = try await server.buy(user, separate: true, more: ["product_id": product])
        #expect(try await server.submit(sale.receipt, as: user).status == 200)
        return sale.transactionID
    }

    private static func somebodyKnown(in server: ServerHarness) async throws -> String {
        let user = ServerHarness.someone()
        _ = try await Self.pass("singleVisit", of: user, in: server)
        return user
    }
}

extension ServerHarness {
    /// Spends a visit of a user's pass.
    func consume(
        _ pass: String,
        _ reference: String,
        as user: String,
        _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try await self.send(
            .post,
            "/purchases/\(pass)/consume",
            as: user,
            headers: headers,
            json: ["reference": reference]
        )
    }

    /// Creates a class in three days that costs one visit.
    func makeVisit(_ id: String) async throws -> Answer {
        let start = try await self.wallet.now().addingTimeInterval(72 * 3_600)
        let body: [String: any Sendable] = [
            "title": "A visit", "starts_at": start.formatted(.iso8601),
            "ends_at": start.addingTimeInterval(3_600).formatted(.iso8601), "capacity": 10, "price": ["visits": 1],
        ]
        return try await self.send(
            .put,
            "/operator/classes/\(id)",
            token: Self.operatorToken(),
            headers: ["Idempotency-Key": UUID().uuidString],
            json: body
        )
    }
}
