import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct ReceiptRouteTests {
    @Test func `a receipt is credited once and then reported as a duplicate`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let first = try await server.submit(sale.receipt, as: user)
            #expect(first.status == 200)
            let json = try first.json
            let granted = try #require((json["granted"] as? [[String: Any]])?.first)
            #expect(granted["transaction_id"] as? String == sale.transactionID)
            #expect(granted["amount"] as? Int == 100)
            #expect(granted["unit"] as? String == "credit")
            #expect(granted["duplicate"] as? Bool == false)
            #expect(json["finish"] as? [String] == [sale.transactionID])
            #expect(json["environment"] as? String == "production")
            #expect((json["balance"] as? [String: Any])?["credits"] as? Int == 100)
            #expect(first.headers[.rateLimit]?.hasPrefix("\"receipts\";r=9;t=") == true)

            let again = try await server.submit(sale.receipt, as: user)
            let known = try #require(try (again.json["granted"] as? [[String: Any]])?.first)
            #expect(known["duplicate"] as? Bool == true)
            #expect(try (again.json["balance"] as? [String: Any])?["credits"] as? Int == 100)

            let purchases = try await server.send(.get, "/purchases/\(sale.transactionID)", as: user)
            #expect(try purchases.json["status"] as? String == "granted")
            let others = try await server.send(.get, "/purchases/\(sale.transactionID)", as: ServerHarness.someone())
            #expect(others.problem == "purchase-not-found")
        }
    }

    @Test func `a receipt of the sandbox credits the sandbox wallet only`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, environment: "sandbox")
            let answer = try await server.submit(sale.receipt, as: user)
            #expect(try answer.json["environment"] as? String == "sandbox")
            let production = try await server.send(.get, "/balance", as: user)
            #expect(try production.json["credits"] as? Int == 0)
            let sandbox = try await server.send(.get, "/balance", as: user, headers: ["Wallet-Environment": "sandbox"])
            #expect(try sandbox.json["credits"] as? Int == 100)
        }
    }

    @Test func `another account's receipt is refused, and a shared one grants each owner theirs`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let annas = try await server.buy(anna)
            #expect(try await server.submit(annas.receipt, as: anna).status == 200)
            let stolen = try await server.submit(annas.receipt, as: ben)
            #expect(stolen.status == 409)
            #expect(stolen.problem == "transaction-already-claimed")
            #expect(stolen.headers[.rateLimit] != nil)

            let bens = try await server.buy(ben)
            let shared = try await server.receipt(of: [annas.transactionID, bens.transactionID])
            let answer = try await server.submit(shared, as: ben)
            #expect(answer.status == 200)
            let granted = try #require(try answer.json["granted"] as? [[String: Any]])
            let skipped = try #require(try answer.json["skipped"] as? [[String: Any]])
            #expect(granted.map { $0["transaction_id"] as? String } == [bens.transactionID])
            #expect(skipped.map { $0["reason"] as? String } == ["transaction-already-claimed"])
            // The named transaction decides, although another one in the receipt is acceptable.
            let named = try await server.submit(shared, as: ben, naming: annas.transactionID)
            #expect(named.problem == "transaction-already-claimed")
            let absent = try await server.submit(shared, as: ben, naming: "42")
            #expect(absent.status == 422)
            #expect(absent.problem == "no-purchase-found")
        }
    }

    @Test func `an account token determines the owner of a purchase`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let token = try #require(
                try await server.send(.get, "/balance", as: anna).json["app_account_token"] as? String
            )
            #expect(token.lowercased() == anna)
            let sale = try await server.buy(anna, accountToken: token)
            let other = try await server.submit(sale.receipt, as: ben)
            #expect(other.status == 403)
            #expect(other.problem == "account-token-mismatch")
            #expect(try await server.submit(sale.receipt, as: anna).status == 200)
        }
    }

    @Test func `an all-zero account token is ignored`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let zero = "00000000-0000-0000-0000-000000000000"
            let sale = try await server.buy(user, accountToken: zero)
            let answer = try await server.submit(sale.receipt, as: user)
            #expect(answer.status == 200)
            #expect(try await server.send(.get, "/balance", as: user).json["credits"] as? Int == 100)
        }
    }

    @Test func `the store's results are distinguished`() async throws {
        try await ServerHarness.withDatabase(receipts: RateLimit(quota: 1_000)) { server in
            let user = ServerHarness.someone()
            let forged = try await server.submit(Data("forged".utf8).base64EncodedString(), as: user)
            #expect(forged.status == 422)
            #expect(forged.problem == "receipt-rejected")
            #expect(try forged.json["store_status"] is Int)
            let sale = try await server.buy(user)
            for fault: [String: any Sendable] in [["status": 500, "count": 20], ["kind": "html", "count": 20]] {
                try await server.fault(fault)
                let answer = try await server.submit(sale.receipt, as: user)
                #expect(answer.status == 503, "\(fault)")
                #expect(answer.problem == "verification-unavailable", "\(fault)")
                #expect(answer.headers[.retryAfter] != nil)
            }
            #expect(try await server.send(.get, "/balance", as: user).json["version"] as? Int == 0)
        }
    }

    @Test func `verifications are limited for each user separately`() async throws {
        try await ServerHarness.withDatabase(receipts: RateLimit(quota: 2, window: 60)) { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let sale = try await server.buy(anna)
            for _ in 0..<2 { #expect(try await server.submit(sale.receipt, as: anna).status == 200) }
            // A recently verified receipt is answered from the cache; another receipt is refused.
            #expect(try await server.submit(sale.receipt, as: anna).status == 200)
            let second = try await server.buy(anna)
            let third = try await server.submit(second.receipt, as: anna)
            #expect(third.status == 429)
            #expect(third.problem == "rate-limited")
            #expect(third.headers[.retryAfter].flatMap(Int.init) ?? 0 > 0)
            #expect(third.headers[.rateLimitPolicy] == "\"receipts\";q=2;w=60")
            let bens = try await server.buy(ben)
            #expect(try await server.submit(bens.receipt, as: ben).status == 200)
        }
    }
}
