import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `DELETE /account`, `POST /restore`, and the separation of issuers.
@Suite(.database) struct AccountRouteTests {
    @Test func `a deletion invalidates tokens, and a later token opens a new account`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let old = try Self.token(user, issued: -60)
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, with: old).status == 200)
            let deleted = try await server.send(.delete, "/account", token: old)
            #expect(deleted.status == 204)
            #expect(deleted.text.isEmpty)

            for token in [old, try ServerHarness.undatedToken(user)] {
                let refused = try await server.send(.get, "/balance", token: token)
                #expect(refused.status == 401)
                #expect(refused.problem == "unauthenticated")
                #expect(refused.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
                #expect(try await server.send(.delete, "/account", token: token).status == 401)
            }
            let new = try await server.send(.get, "/balance", token: try Self.token(user, issued: 5))
            #expect(new.status == 200)
            #expect(try new.json["credits"] as? Int == 0)
            #expect(try new.json["version"] as? Int == 0)
        }
    }

    @Test func `a token issued right after a deletion is accepted, an earlier one is not`() async throws {
        try await ServerHarness.withDatabase { server in
            for _ in 0..<3 {
                let user = ServerHarness.someone()
                let old = try Self.token(user, issued: 0)
                try await server.give(5, to: user)
                #expect(try await server.send(.delete, "/account", token: old).status == 204)
                let new = try await server.send(.get, "/balance", token: try Self.token(user, issued: 0))
                #expect(new.status == 200)
                #expect(try new.json["credits"] as? Int == 0)
                #expect(try await server.send(.get, "/balance", token: old).status == 401)
            }
        }
    }

    @Test(arguments: ["/receipts", "/restore", "/functions/v1/validate-receipt"])
    func `a purchase verified while its user deletes the account is refused and not stored`(
        path: String
    ) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let token = try Self.token(user, issued: -60)
            let sale = try await server.buy(user)
            try await server.fault(["delay_ms": 10_000])
            let answer = try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    let body = ["store": "app_store", "receipt": try #require(sale.receipt)]
                    return try await server.send(.post, path, token: token, json: body).status
                }
                group.addTask {
                    // The store has the query, and its response is delayed.
                    try await eventually { try await server.receiptCalls() == 1 }
                    #expect(try await server.send(.delete, "/account", token: token).status == 204)
                    return nil
                }
                return try await group.reduce(nil) { $0 ?? $1 }
            }
            #expect(answer == 401)
            #expect(try await Self.identities(named: user) == 0)
            let next = ServerHarness.someone()
            #expect(try await server.submit(sale.receipt, as: next).status == 200, "nobody owns the purchase")
        }
    }

    /// Returns the number of accounts with the user's id.
    private static func identities(named user: String) async throws -> Int {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let rows = try await connection.query(
            "SELECT count(*) AS count FROM wallet.identities AS i WHERE i.user_id = \(user)"
        )
        return Int(try #require(rows.first).decode("count", as: Int64.self))
    }

    @Test func `a token without a date is valid until its user is deleted`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let undated = try ServerHarness.undatedToken(user)
            #expect(try await server.send(.get, "/balance", token: undated).status == 200)
            #expect(try await server.send(.delete, "/account", token: undated).status == 204)
            #expect(try await server.send(.get, "/balance", token: undated).status == 401)
        }
    }

    @Test func `a receipt restores a deleted account's credits, once`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, next) = (ServerHarness.someone(), ServerHarness.someone())
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, with: try Self.token(user, issued: -60)).status == 200)
            let body: [String: any Sendable] = ["store": "app_store", "receipt": try #require(sale.receipt)]
            let living = try await server.send(.post, "/restore", as: next, json: body)
            #expect(living.status == 409)
            #expect(living.problem == "transaction-already-claimed")

            _ = try await server.send(.delete, "/account", token: try Self.token(user, issued: -60))
            let restored = try await server.send(.post, "/restore", as: next, json: body)
            #expect(restored.status == 200)
            let found = try #require(try restored.json["restored"] as? [[String: Any]])
            #expect(found.map { $0["result"] as? String } == ["restored"])
            #expect(found.map { $0["remaining"] as? Int } == [100])
            #expect(try (restored.json["balance"] as? [String: Any])?["credits"] as? Int == 100)
            #expect(restored.headers[.rateLimit] != nil)
            let again = try await server.send(.post, "/restore", as: next, json: body)
            #expect(again.status == 200)
            #expect(try await server.credits(of: next) == 100)
        }
    }

    @Test func `signed transactions and the app transaction restore too`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, next) = (ServerHarness.someone(), ServerHarness.someone())
            let pack = try await server.buy(user)
            let plan = try await server.buy(user, more: ["product_id": ServerHarness.plan])
            let old = try Self.token(user, issued: -60)
            for sale in [pack, plan] {
                let body = ["store": "app_store", "signed_transaction": try #require(sale.signedTransaction)]
                #expect(try await server.send(.post, "/receipts", token: old, json: body).status == 200)
            }
            _ = try await server.send(.delete, "/account", token: old)
            let body: [String: any Sendable] = [
                "store": "app_store",
                "signed_transactions": [try #require(pack.signedTransaction), try #require(plan.signedTransaction)],
                "app_transaction": try await server.appTransaction(of: user),
            ]
            let restored = try await server.send(.post, "/restore", as: next, json: body)
            #expect(restored.status == 200)
            #expect(try (restored.json["restored"] as? [[String: Any]])?.count == 2)
            let subscriptions = try #require(try restored.json["subscriptions"] as? [[String: Any]])
            #expect(subscriptions.map { $0["status"] as? String } == ["active"])
            let balance = try #require(try restored.json["balance"] as? [String: Any])
            #expect(balance["credits"] as? Int == 100)
            #expect(balance["visits"] as? Int == 4)
        }
    }

    @Test func `a request without restorable purchases has its own result`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let body = ["store": "app_store", "app_transaction": try await server.appTransaction(of: user)]
            let answer = try await server.send(.post, "/restore", as: user, json: body)
            #expect(answer.status == 404)
            #expect(answer.problem == "no-active-subscription")
            let many =
                ["store": "app_store", "signed_transactions": Array(repeating: "a.b.c", count: 201)]
                as [String: any Sendable]
            #expect(try await server.send(.post, "/restore", as: user, json: many).problem == "malformed-request")
        }
    }

    @Test func `the same subject of another issuer has a separate wallet`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            let other = try await server.send(.get, "/balance", token: try ServerHarness.otherIssuersToken(user))
            #expect(try other.json["user_id"] as? String == "other:\(user)")
            #expect(try other.json["credits"] as? Int == 0)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    /// Returns a token issued the given number of seconds from now, by the clock that dates deletions.
    static func token(_ user: String, issued seconds: Double) throws -> String {
        try ServerHarness.token(user, ["iat": Int(Date().timeIntervalSince1970 + seconds)])
    }
}

extension ServerHarness {
    fileprivate func submit(_ receipt: String?, with token: String) async throws -> Answer {
        let body: [String: any Sendable] = ["store": "app_store", "receipt": try #require(receipt)]
        return try await self.send(.post, "/receipts", token: token, json: body)
    }
}
