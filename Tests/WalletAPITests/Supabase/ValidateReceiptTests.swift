import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct ValidateReceiptTests {
    private static func validate(
        _ server: ServerHarness,
        _ members: [String: any Sendable],
        as user: String
    ) async throws -> Answer {
        try await server.call(.post, "validate-receipt", as: user, json: members)
    }

    @Test func `a receipt and a signed transaction are credited once, and later return 200`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let signed = try #require(sale.signedTransaction)
            let first = try await Self.validate(server, ["receipt": signed], as: user)
            #expect(first.status == 200)
            #expect(try first.json["success"] as? Bool == true)
            let data = try #require(first.data)
            #expect(data["transaction_id"] as? String == sale.transactionID)
            #expect(data["transactionId"] as? String == sale.transactionID)
            for name in ["credits_granted", "creditsGranted", "balance_after", "balanceAfter", "new_balance"] {
                #expect(data[name] as? Int == 100, "\(name)")
            }
            #expect(data["idempotent"] as? Bool == false)
            #expect(data["environment"] as? String == "production")
            #expect(data["message"] is String)
            #expect(data["processingTimeMs"] is Int)
            #expect(first.headers[.rateLimit] != nil)

            // The same purchase in the other form, with the other app's member names and another user's id.
            let old: [String: any Sendable] = [
                "receiptData": try #require(sale.receipt), "transactionId": sale.transactionID,
                "productId": "something.else", "userId": ServerHarness.someone(),
            ]
            let again = try await Self.validate(server, old, as: user)
            #expect(again.status == 200)
            #expect(again.data?["idempotent"] as? Bool == true)
            #expect(again.data?["credits_granted"] as? Int == 100)
            #expect(again.data?["balance_after"] as? Int == 100)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    @Test(arguments: ["text/plain", "text/plain;charset=UTF-8", "application/json"])
    func `JSON is accepted as plain text, which supabase-js sends for a string`(type: String) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let body = ["receipt": try #require(sale.signedTransaction) + "\n"]
            let answer = try await server.call(
                .post,
                "validate-receipt",
                as: user,
                headers: ["Content-Type": type],
                json: body
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.data?["transaction_id"] as? String == sale.transactionID)
            // The plain routes require the right content type, because their clients send it.
            let plain = try await server.send(
                .post,
                "/receipts",
                as: user,
                headers: ["Content-Type": type],
                json: ["store": "app_store", "signed_transaction": try #require(sale.signedTransaction)]
            )
            #expect(plain.status == (type == "application/json" ? 200 : 415))
        }
    }

    @Test func `plain text that is not JSON is refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for (type, body, status) in [
                ("text/plain", "receipt=x", 400), ("text/plain; charset=latin1", "{}", 415), ("text/html", "{}", 415),
            ] {
                let answer = try await server.send(
                    .post,
                    "/functions/v1/validate-receipt",
                    as: user,
                    headers: ["Content-Type": type],
                    body: body
                )
                #expect(answer.status == status, "\(type): \(answer.text)")
                #expect(answer.code != nil)
            }
        }
    }

    @Test func `a receipt of several purchases reports only the new ones`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let first = try await server.buy(user)
            _ = try await Self.validate(server, ["receipt": try #require(first.receipt)], as: user)
            let second = try await server.buy(user)
            let receipt = try await server.receipt(of: [first.transactionID, second.transactionID])
            let answer = try await Self.validate(server, ["receipt": receipt], as: user)
            #expect(answer.data?["transaction_id"] as? String == second.transactionID)
            #expect(answer.data?["credits_granted"] as? Int == 100)
            #expect(answer.data?["balance_after"] as? Int == 200)
            #expect(answer.data?["idempotent"] as? Bool == false)
            #expect((answer.data?["finish"] as? [String])?.count == 2)
        }
    }

    @Test func `unsigned data has its own code`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let json = #"{"transactionId":"1","productId":"x","price":4.99}"#
            let forms: [any Sendable] = [
                json, " \n" + json, Data(json.utf8).base64EncodedString(), ["transactionId": "1"],
            ]
            for form in forms {
                let answer = try await Self.validate(server, ["receipt": form], as: user)
                #expect(answer.status == 400, "\(form)")
                #expect(answer.code == "UNSIGNED_TRANSACTION", "\(form)")
            }
            #expect(try await Self.validate(server, [:], as: user).code == "VALIDATION_ERROR")
            #expect(try await Self.validate(server, ["receipt": 1], as: user).code == "VALIDATION_ERROR")
            #expect(try await Self.validate(server, ["receipt": "a.b.c"], as: user).status == 400)
            let forged = try await Self.validate(
                server,
                ["receipt": Data("forged".utf8).base64EncodedString()],
                as: user
            )
            #expect(forged.status == 422)
            #expect(forged.code == "RECEIPT_REJECTED")
        }
    }

    @Test func `a purchase that grants the caller nothing is a failure`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let sale = try await server.buy(anna)
            _ = try await Self.validate(server, ["receipt": try #require(sale.signedTransaction)], as: anna)
            let stolen = try await Self.validate(server, ["receipt": try #require(sale.signedTransaction)], as: ben)
            #expect(stolen.status == 409)
            #expect(stolen.code == "TRANSACTION_ALREADY_CLAIMED")
            let token = try #require(
                try await server.send(.get, "/balance", as: anna).json["app_account_token"] as? String
            )
            let bound = try await server.buy(anna, accountToken: token)
            let taken = try await Self.validate(server, ["receipt": try #require(bound.signedTransaction)], as: ben)
            #expect(taken.status == 403)
            #expect(taken.code == "ACCOUNT_TOKEN_MISMATCH")
            let absent: [String: any Sendable] = ["receipt": try #require(sale.receipt), "transactionId": "42"]
            let unfound = try await Self.validate(server, absent, as: anna)
            #expect(unfound.status == 422)
            #expect(unfound.code == "NO_PURCHASE_FOUND")

            let shared = try await server.buy(ben, more: ["ownership": "family_shared"])
            let family = try await Self.validate(server, ["receipt": try #require(shared.signedTransaction)], as: ben)
            #expect(family.status == 422)
            #expect(family.code == "NOTHING_GRANTED")
            #expect(family.details?["reason"] as? String == "family-shared")
            #expect(family.details?["finish"] as? Bool == true)
            #expect(try await server.credits(of: ben) == 0)
        }
    }

    @Test func `sandbox purchases go to the sandbox, and store failures are temporary`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, environment: "sandbox")
            let answer = try await Self.validate(server, ["receipt": try #require(sale.signedTransaction)], as: user)
            #expect(answer.data?["environment"] as? String == "sandbox")
            #expect(answer.data?["new_balance"] as? Int == 100)
            #expect(try await server.credits(of: user) == 0)
            let other = try await server.buy(user)
            try await server.fault(["status": 500, "count": 20])
            let failed = try await Self.validate(server, ["receipt": try #require(other.receipt)], as: user)
            #expect(failed.status == 503)
            #expect(failed.code == "VERIFICATION_UNAVAILABLE")
            #expect(failed.headers[.retryAfter] != nil)
        }
    }

    @Test func `verifications are limited as on the main route`() async throws {
        try await ServerHarness.withDatabase(receipts: RateLimit(quota: 1, window: 60)) { server in
            let user = ServerHarness.someone()
            let (one, two) = (try await server.buy(user), try await server.buy(user, separate: true))
            #expect(try await server.submit(one.receipt, as: user).status == 200)
            let limited = try await Self.validate(server, ["receipt": try #require(two.receipt)], as: user)
            #expect(limited.status == 429)
            #expect(limited.code == "RATE_LIMIT_EXCEEDED")
            #expect(limited.headers[.retryAfter] != nil)
            #expect(limited.headers[.rateLimitPolicy] == "\"receipts\";q=1;w=60")
        }
    }
}
