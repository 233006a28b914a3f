import Foundation
import HTTPTypes
import Testing
import WalletClient

/// Tests of every proof of purchase that the client sends, and of the responses.
@Suite
struct PurchaseProofTests {
    private static let receipt = WalletServer.Answer(
        body: #"""
            {"granted":[{"transaction_id":"1","product_id":"starter","unit":"credit","amount":25,
            "lot_id":"0193fe00-0000-7000-8000-000000000002","lots":[{"lot_id":"0193fe00-0000-7000-8000-000000000002",
            "unit":"credit","granted":25,"remaining":25},{"lot_id":"0193fe00-0000-7000-8000-000000000003",
            "unit":"visit","granted":3,"remaining":3}],"duplicate":true}],
            "skipped":[{"transaction_id":null,"reason":"pending"}],"subscriptions":[],
            "balance":{"credits":25,"visits":0,"version":1},"environment":"sandbox","finish":["1"]}
            """#
    )
    private static let restored = WalletServer.Answer(
        body: #"""
            {"restored":[{"transaction_id":"1","product_id":"starter","unit":"credit","amount":25,"remaining":5,
            "lots":[],"result":"restored"}],"skipped":[{"transaction_id":"2","reason":"refunded"}],"subscriptions":[{"store":"app_store",
            "product_id":"explorer","status":"active","tier":1,"period_type":"normal",
            "current_period_start":"2026-11-01T00:00:00Z","current_period_end":"2026-12-01T00:00:00Z",
            "grace_period_ends_at":null,"will_renew":true,"in_trial":false,"environment":"sandbox"}],
            "balance":{"credits":5,"visits":4,"version":3},"environment":"sandbox","unproven":2}
            """#
    )
    private static let busy = WalletServer.Answer(
        status: .serviceUnavailable,
        headers: [.contentType: "application/problem+json", .retryAfter: "0"],
        body: #"{"type":"https://example.com/problems/wallet-busy","title":"Busy","status":503}"#
    )

    private func bodies(in server: WalletServer) throws -> [[String: JSONValue]] {
        try server.seen.map { try JSONDecoder().decode([String: JSONValue].self, from: Data($0.body.utf8)) }
    }

    @Test
    func `each form of a proof is sent with its type, and is retried`() async throws {
        try await WalletServer.run([Self.busy, Self.receipt]) { wallet, server async throws in
            let first = try await wallet.submit(signedTransaction: "a/b.c.d")
            #expect(first.granted.map(\.isDuplicate) == [true])
            #expect(first.granted.first?.lots.map(\.granted) == [25, 3])
            #expect(first.skipped.map(\.reason) == ["pending"])
            #expect(first.balance.credits == 25)
            #expect(first.subscriptions.isEmpty)
            #expect(await wallet.environment == .sandbox)
            _ = try await wallet.submit(transactionID: "2000000001")
            _ = try await wallet.submit(playPurchase: "token-1", productID: "starter")
            _ = try await wallet.syncRevenueCat()
            #expect(server.seen.map(\.path) == Array(repeating: "/receipts", count: 5))
            #expect(server.seen.allSatisfy { $0.method == .post })
            let signed: [String: JSONValue] = ["store": "app_store", "signed_transaction": "a/b.c.d"]
            #expect(
                try self.bodies(in: server) == [
                    signed, signed, ["store": "app_store", "transaction_id": "2000000001"],
                    ["store": "play_store", "purchase_token": "token-1", "product_id": "starter"],
                    ["store": "revenuecat"],
                ]
            )
        }
    }

    @Test
    func `restoring sends receipts or signed transactions and switches to their wallet`() async throws {
        try await WalletServer.run([Self.busy, Self.restored]) { wallet, server async throws in
            let result = try await wallet.restore(receipt: "QUJD/+==")
            #expect(result.restored.map(\.remaining) == [5])
            #expect(result.restored.map(\.result) == ["restored"])
            #expect(result.skipped.map(\.reason) == ["refunded"])
            #expect(result.subscriptions.map(\.status) == ["active"])
            #expect(result.balance.visits == 4)
            #expect(result.unproven == 2)
            #expect(await wallet.environment == .sandbox)
            _ = try await wallet.restore(signedTransactions: ["a.b.c", "d.e.f"], appTransaction: "g.h.i")
            _ = try await wallet.restore(signedTransactions: ["a.b.c"])
            #expect(server.seen.map(\.path) == Array(repeating: "/restore", count: 4))
            let receipt: [String: JSONValue] = ["store": "app_store", "receipt": "QUJD/+=="]
            #expect(
                try self.bodies(in: server) == [
                    receipt, receipt,
                    [
                        "store": "app_store", "signed_transactions": ["a.b.c", "d.e.f"], "app_transaction": "g.h.i",
                    ],
                    ["store": "app_store", "signed_transactions": ["a.b.c"]],
                ]
            )
        }
    }

    @Test
    func `a refused proof is a problem and does not switch the wallet`() async throws {
        let refusal = WalletServer.Answer(
            status: .forbidden,
            headers: [.contentType: "application/problem+json"],
            body: #"{"type":"https://example.com/problems/proof-of-purchase-required","title":"Proof","status":403}"#
        )
        try await WalletServer.run([refusal]) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.submit(transactionID: "1") }
            #expect(problem.slug == "proof-of-purchase-required")
            #expect(await wallet.environment == .production)
            #expect(server.seen.count == 1)
        }
    }
}
