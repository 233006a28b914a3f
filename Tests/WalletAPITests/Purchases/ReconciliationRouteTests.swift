import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `POST /operator/reconcile`.
@Suite(.database) struct ReconciliationRouteTests {
    @Test func `an operator's token and a key are required`() async throws {
        try await ServerHarness.withDatabase { server in
            let path = "/operator/reconcile"
            let key = ["Idempotency-Key": "k"]
            #expect(try await server.send(.post, path, headers: key, body: "{}").status == 401)
            let user = try await server.send(.post, path, as: "u", headers: key, body: "{}")
            #expect(user.status == 401)
            #expect(user.headers[.wwwAuthenticate] != nil)
            let keyless = try await server.send(.post, path, token: try ServerHarness.operatorToken(), body: "{}")
            #expect(keyless.problem == "idempotency-key-missing")
            let malformed = try await server.send(
                .post,
                path,
                token: try ServerHarness.operatorToken(),
                headers: key,
                body: #"{"since":"yesterday"}"#
            )
            #expect(malformed.problem == "malformed-request")
        }
    }

    @Test func `a missed refund is found, reported and repaired`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            _ = try await server.control("transactions/\(sale.transactionID)/refund", as: ServerHarness.Sale.self)
            let looked = try await Self.reconcile(server, ["user_id": user], isDryRun: true)
            #expect(looked.status == 200)
            #expect(try looked.json["repaired"] as? Int == 0)
            let differences = try #require(try looked.json["differences"] as? [[String: Any]])
            #expect(differences.contains { $0["transaction_id"] as? String == sale.transactionID })
            #expect(!looked.text.contains(user))
            #expect(try await server.credits(of: user) == 100)

            let repaired = try await Self.reconcile(server, ["user_id": user])
            #expect(try repaired.json["repaired"] as? Int ?? 0 >= 1)
            #expect(try repaired.json["unreachable"] as? Int == 0)
            #expect(try repaired.json["needs_confirmation"] as? Bool == false)
            #expect(try await server.credits(of: user) == 0)
            let again = try await Self.reconcile(server, ["user_id": user])
            #expect(try (again.json["differences"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `an unavailable store is counted`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            #expect(try await server.submit(sale.receipt, as: user).status == 200)
            try await server.fault(["target": "server_api", "status": 500, "count": 100])
            let report = try await Self.reconcile(server, ["user_id": user])
            #expect(report.status == 200)
            #expect(try report.json["unreachable"] as? Int ?? 0 >= 1)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    private static func reconcile(
        _ server: ServerHarness,
        _ body: [String: any Sendable],
        isDryRun: Bool = false
    ) async throws -> Answer {
        try await server.send(
            .post,
            "/operator/reconcile?dry_run=\(isDryRun)",
            token: try ServerHarness.operatorToken(),
            headers: ["Idempotency-Key": UUID().uuidString],
            json: body
        )
    }
}
