import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of each form of `POST /receipts`.
@Suite(.database, .serialized) struct ReceiptFormTests {
    @Test func `a signed transaction is credited once without a store query`() async throws {
        try await ServerHarness.withDatabase(receipts: RateLimit(quota: 1)) { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let body = ["store": "app_store", "signed_transaction": try #require(sale.signedTransaction)]
            for attempt in 0..<3 {
                let answer = try await server.send(.post, "/receipts", as: user, json: body)
                #expect(answer.status == 200)
                let granted = try #require(try answer.granted.first)
                #expect(granted["transaction_id"] as? String == sale.transactionID)
                #expect(granted["duplicate"] as? Bool == (attempt > 0))
                #expect(try answer.json["finish"] as? [String] == [sale.transactionID])
                #expect(answer.headers[.rateLimit] == "\"receipts\";r=1;t=0")
            }
            #expect(try await server.credits(of: user) == 100)
            // The receipt contains the same purchase.
            let receipt = try await server.submit(sale.receipt, as: user)
            #expect(try receipt.granted.first?["duplicate"] as? Bool == true)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    /// Client libraries send a signed transaction under the member names of older proofs.
    @Test(arguments: ["receipt", "purchase_token", "signed_transaction"], ["", "\n", "\r\n", " \n"])
    func `a signed transaction is accepted under every name and with a line end`(name: String, end: String) async throws
    {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let body = ["store": "app_store", name: try #require(sale.signedTransaction) + end]
            let answer = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.granted.map { $0["transaction_id"] as? String } == [sale.transactionID])
            let restored = try await server.send(.post, "/restore", as: user, json: body)
            #expect([200, 404].contains(restored.status), "\(restored.text)")
        }
    }

    @Test func `a receipt and a purchase token may end with a line end`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let receipt = try #require(sale.receipt) + "\r\n"
            #expect(try await server.submit(receipt, as: user).status == 200)
            let play = try await server.buy(user, more: ["store": "play_store"])
            var body = try Self.play(play, ServerHarness.pack)
            body["purchase_token"] = try #require(play.purchaseToken) + "\n"
            #expect(try await server.send(.post, "/receipts", as: user, json: body).status == 200)
            #expect(try await server.credits(of: user) == 200)
        }
    }

    @Test(arguments: ["receipt", "purchase_token"])
    func `the App Store's signed transaction sent as Google Play's gets an explanation`(name: String) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let signed = try #require(try await server.buy(user).signedTransaction)
            let body = ["store": "play_store", "product_id": ServerHarness.pack, name: signed]
            let answer = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(answer.problem == "malformed-request")
            #expect(try #require(try answer.json["detail"] as? String).contains("\"signed_transaction\""))
        }
    }

    @Test func `two proofs are refused, whatever their names`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            let signed = try #require(sale.signedTransaction)
            for other in ["signed_transaction": signed, "receipt": try #require(sale.receipt)] {
                let body = ["store": "app_store", "purchase_token": signed, other.key: other.value]
                let answer = try await server.send(.post, "/receipts", as: user, json: body)
                #expect(answer.problem == "malformed-request", "\(answer.text)")
            }
            let token = ["store": "app_store", "purchase_token": "opaque.AO-J1Ox"]
            let answer = try await server.send(.post, "/receipts", as: user, json: token)
            #expect(answer.problem == "malformed-request")
            #expect(try #require(try answer.json["detail"] as? String).contains("signed_transaction"))
        }
    }

    @Test func `a transaction id is accepted only if the purchase names the caller`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let named = try await server.buy(anna, accountToken: anna)
            let unnamed = try await server.buy(anna, separate: true)
            // Purchases of others, purchases without an account and unknown ids have the same response.
            for (id, user) in [(named.transactionID, ben), (unnamed.transactionID, anna), ("99999999", anna)] {
                let refused = try await server.send(.post, "/receipts", as: user, json: Self.bare(id))
                #expect(refused.status == 403)
                #expect(refused.problem == "proof-of-purchase-required")
            }
            let answer = try await server.send(.post, "/receipts", as: anna, json: Self.bare(named.transactionID))
            #expect(answer.status == 200)
            #expect(try answer.granted.first?["amount"] as? Int == 100)
            #expect(try await server.credits(of: anna) == 100)
            #expect(try await server.credits(of: ben) == 0)
        }
    }

    @Test func `a purchase of Google Play is credited and acknowledged`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, more: ["store": "play_store"])
            let body = try Self.play(sale, ServerHarness.pack)
            let answer = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(answer.status == 200)
            #expect(try answer.granted.first?["amount"] as? Int == 100)
            let again = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(try again.granted.first?["duplicate"] as? Bool == true)
            #expect(try await server.credits(of: user) == 100)
            try await Self.expectAcknowledgement(of: sale, by: server)

            let thief = ServerHarness.someone()
            let stolen = try await server.send(.post, "/receipts", as: thief, json: body)
            #expect(stolen.status == 409)
            #expect(stolen.problem == "transaction-already-claimed")
        }
    }

    @Test func `a delivery is acknowledged after the response`() async throws {
        try await ServerHarness.withDatabase { server in
            let ben = ServerHarness.someone()
            let sale = try await server.buy(ben, more: ["store": "play_store"])
            let body = try Self.play(sale, ServerHarness.pack)
            #expect(try await server.send(.post, "/receipts", as: ben, json: body).status == 200)
            try await Self.expectAcknowledgement(of: sale, by: server)
        }
    }

    private static func expectAcknowledgement(of sale: ServerHarness.Sale, by server: ServerHarness) async throws {
        let token = try #require(sale.purchaseToken)
        try await eventually("the purchase is acknowledged", within: .seconds(180)) {
            let left = try await server.wallet.unacknowledged(limit: 100)
            return !left.contains { $0.purchaseToken == token }
        }
    }

    @Test func `a pending purchase of Google Play is reported and grants nothing yet`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, more: ["store": "play_store", "pending": true])
            let body = try Self.play(sale, ServerHarness.pack)
            let answer = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(answer.status == 200)
            #expect(try answer.granted.isEmpty)
            #expect(try answer.skipped.map { $0["reason"] as? String } == ["pending"])
            #expect(try answer.json["finish"] as? [String] == [])
            _ = try await server.control("transactions/\(sale.transactionID)/complete", as: ServerHarness.Sale.self)
            let paid = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(try paid.granted.first?["amount"] as? Int == 100)
        }
    }

    @Test func `a subscription of Google Play grants its period`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(
                user,
                more: ["store": "play_store", "product_id": ServerHarness.plan]
            )
            let answer = try await server.send(
                .post,
                "/receipts",
                as: user,
                json: try Self.play(sale, ServerHarness.plan)
            )
            #expect(answer.status == 200)
            #expect(try answer.granted.first?["unit"] as? String == "visit")
            let subscriptions = try #require(try answer.json["subscriptions"] as? [[String: Any]])
            #expect(subscriptions.map { $0["status"] as? String } == ["active"])
        }
    }

    @Test func `RevenueCat's purchases of the caller are credited without a proof in the body`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, other) = (ServerHarness.someone(), ServerHarness.someone())
            let sale = try await server.buy(user)
            let nobody = try await server.send(.post, "/receipts", as: other, body: #"{"store":"revenuecat"}"#)
            #expect(nobody.status == 422)
            #expect(nobody.problem == "no-purchase-found")
            let answer = try await server.send(.post, "/receipts", as: user, body: #"{"store":"revenuecat"}"#)
            #expect(answer.status == 200)
            #expect(try await server.credits(of: user) == 100)
            // The store's own proof of the same purchase is a duplicate.
            let receipt = try await server.submit(sale.receipt, as: user)
            #expect(try receipt.granted.first?["duplicate"] as? Bool == true)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    private static func bare(_ id: String) -> [String: any Sendable] {
        ["store": "app_store", "transaction_id": id]
    }

    private static func play(_ sale: ServerHarness.Sale, _ product: String) throws -> [String: any Sendable] {
        ["store": "play_store", "product_id": product, "purchase_token": try #require(sale.purchaseToken)]
    }
}

extension Answer {
    var granted: [[String: Any]] {
        get throws { try #require(try self.json["granted"] as? [[String: Any]]) }
    }

    var skipped: [[String: Any]] {
        get throws { try #require(try self.json["skipped"] as? [[String: Any]]) }
    }
}
