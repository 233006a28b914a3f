import Foundation
import HTTPTypes
import JSON
import Stores
import TestSupport
import Testing

@testable import SandboxStores
@testable import WalletAPI

/// Tests of the refusals of `POST /receipts`.
@Suite(.database) struct ReceiptRefusalTests {
    private static let malformed = [
        #"{}"#, #"{"store":"app_store"}"#, #"{"store":"itunes","receipt":"QQ=="}"#,
        #"{"store":"app_store","receipt":"QQ==","signed_transaction":"a.b.c"}"#,
        #"{"store":"app_store","receipt":"QQ==","purchase_token":"t"}"#,
        #"{"store":"app_store","product_id":"p","purchase_token":"t"}"#,
        #"{"store":"app_store","signed_transactions":["a.b.c"]}"#,
        #"{"store":"app_store","transaction_id":""}"#, #"{"store":"app_store","transaction_id":"a b"}"#,
        #"{"store":"app_store","receipt":["QQ=="]}"#, #"{"store":"app_store","signed_transaction":1}"#,
        #"{"store":"play_store"}"#, #"{"store":"play_store","product_id":"p"}"#,
        #"{"store":"play_store","purchase_token":"t"}"#, #"{"store":"play_store","transaction_id":"GPA.1"}"#,
        #"{"store":"play_store","product_id":"p","purchase_token":"t","receipt":"QQ=="}"#,
        #"{"store":"play_store","product_id":"p","purchase_token":""}"#,
        #"{"store":"play_store","product_id":"p","purchase_token":"é"}"#,
        #"{"store":"revenuecat","receipt":"QQ=="}"#, #"{"store":"revenuecat","signed_transaction":"a.b.c"}"#,
        #"{"store":"revenuecat","product_id":"p","purchase_token":"t"}"#,
    ]

    @Test func `missing, several and mismatched proofs are malformed, without a store query`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for body in Self.malformed {
                let answer = try await server.send(.post, "/receipts", as: user, body: body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == "malformed-request", "\(body)")
                #expect(answer.headers[.rateLimit] == "\"receipts\";r=10;t=0", "\(body)")
            }
        }
    }

    @Test func `unsigned data, invalid receipts and invalid signatures are distinguished`() async throws {
        let slugs = [
            #"{"store":"app_store","signed_transaction":{"transactionId":"1"}}"#: "unsigned-transaction",
            #"{"store":"app_store","signed_transaction":"{\"transactionId\":\"1\"}"}"#: "unsigned-transaction",
            #"{"store":"app_store","signed_transaction":"e30="}"#: "unsigned-transaction",
            #"{"store":"app_store","signed_transaction":"abc"}"#: "malformed-receipt",
            #"{"store":"app_store","signed_transaction":"e30.e30.e30"}"#: "malformed-receipt",
            #"{"store":"app_store","receipt":"*"}"#: "malformed-receipt",
            #"{"store":"app_store","receipt":""}"#: "malformed-receipt",
        ]
        try await ServerHarness.withDatabase { server in
            for (body, slug) in slugs {
                let answer = try await server.send(.post, "/receipts", as: ServerHarness.someone(), body: body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == slug, "\(body)")
            }
        }
    }

    @Test func `a forged signature, another root and another app are refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let genuine = try #require(try await server.buy(user).signedTransaction)
            let parts = genuine.split(separator: ".")
            let other = try #require(try await server.buy(user, separate: true).signedTransaction).split(separator: ".")
            let mixed = "\(parts[0]).\(other[1]).\(parts[2])"
            let strange = try SandboxPeers.stores().writer.signer.sign(["bundleId": .text(SandboxPeers.bundleID)])
            for jws in [mixed, strange] {
                let answer = try await server.send(.post, "/receipts", as: user, json: Self.signed(jws))
                #expect(answer.status == 422)
                #expect(answer.problem == "receipt-rejected")
            }
            let foreign = try await server.buy(user, more: ["bundle_id": "com.example.other"])
            for body in [
                Self.signed(try #require(foreign.signedTransaction)),
                ["store": "app_store", "receipt": try #require(foreign.receipt)],
            ] {
                let answer = try await server.send(.post, "/receipts", as: user, json: body)
                #expect(answer.status == 422)
                #expect(answer.problem == "wrong-app")
            }
            #expect(try await server.credits(of: user) == 0)
        }
    }

    @Test func `a proof that lacks the named purchase is refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user)
            var body = Self.signed(try #require(sale.signedTransaction))
            body["transaction_id"] = "42"
            let answer = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(answer.status == 422)
            #expect(answer.problem == "no-purchase-found")
            #expect(try await server.credits(of: user) == 0)
        }
    }

    @Test func `an unknown purchase token is rejected permanently`() async throws {
        try await ServerHarness.withDatabase { server in
            let body = ["store": "play_store", "product_id": ServerHarness.pack, "purchase_token": "unknown-token"]
            let answer = try await server.send(.post, "/receipts", as: ServerHarness.someone(), json: body)
            #expect(answer.status == 422)
            #expect(answer.problem == "receipt-rejected")
        }
    }

    @Test(arguments: [("server_api", "transaction_id"), ("play", "purchase_token"), ("revenuecat", "revenuecat")])
    func `an invalid response of the store asks the app to retry`(target: String, form: String) async throws {
        try await ServerHarness.withDatabase { server in
            let foreign: [[String: any Sendable]] = [
                ["kind": "html"], ["status": 200, "body": "{}"], ["status": 200, "body": "null"],
                ["status": 404, "body": "<html>Not Found</html>"], ["status": 404, "body": "{}"],
            ]
            for fault in foreign {
                try await server.fault(fault.merging(["target": target, "count": 50]) { $1 })
                let body = Self.asking(form)
                let answer = try await server.send(.post, "/receipts", as: ServerHarness.someone(), json: body)
                #expect(answer.status == 503, "\(fault)")
                #expect(answer.problem == "verification-unavailable", "\(fault)")
                #expect(answer.headers[.retryAfter].flatMap(Int.init) ?? 0 >= 1, "\(fault)")
                try await server.endFaults()
            }
        }
    }

    @Test func `every form with a store query is limited, and the signed one is not`() async throws {
        try await ServerHarness.withDatabase(receipts: RateLimit(quota: 1, window: 60)) { server in
            for form in ["transaction_id", "purchase_token", "revenuecat"] {
                let user = ServerHarness.someone()
                let body = Self.asking(form)
                #expect(try await server.send(.post, "/receipts", as: user, json: body).status != 429, "\(form)")
                let second = try await server.send(.post, "/receipts", as: user, json: body)
                #expect(second.status == 429, "\(form)")
                #expect(second.problem == "rate-limited")
                #expect(second.headers[.retryAfter].flatMap(Int.init) ?? 0 > 0)
                #expect(second.headers[.rateLimitPolicy] == "\"receipts\";q=1;w=60")
                let sale = try await server.buy(user)
                let signed = Self.signed(try #require(sale.signedTransaction))
                #expect(try await server.send(.post, "/receipts", as: user, json: signed).status == 200)
            }
        }
    }

    @Test(arguments: [("server_api", "app_store"), ("play", "play_store"), ("revenuecat", "revenuecat")])
    func `a store outage gives 503, and later the same request succeeds once`(
        _ target: String,
        _ store: String
    ) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(
                user,
                accountToken: user,
                more: ["store": store == "play_store" ? store : "app_store"]
            )
            var body: [String: any Sendable] = ["store": store]
            switch store {
            case "app_store": body["transaction_id"] = sale.transactionID
            case "play_store":
                body["product_id"] = ServerHarness.pack
                body["purchase_token"] = sale.purchaseToken
            default: break
            }
            try await server.fault(["target": target, "status": 500, "count": 50])
            let down = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(down.status == 503)
            #expect(down.problem == "verification-unavailable")
            #expect(down.headers[.retryAfter].flatMap(Int.init) ?? 0 > 0)
            #expect(try await server.credits(of: user) == 0)
            try await server.endFaults()
            let up = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(up.status == 200)
            #expect(try await server.credits(of: user) == 100)
            let again = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(again.status == 200)
            #expect(try await server.credits(of: user) == 100)
        }
    }

    private static func signed(_ jws: String) -> [String: any Sendable] {
        ["store": "app_store", "signed_transaction": jws]
    }

    private static func asking(_ form: String) -> [String: any Sendable] {
        switch form {
        case "transaction_id": ["store": "app_store", "transaction_id": "99999999"]
        case "purchase_token": ["store": "play_store", "product_id": ServerHarness.pack, "purchase_token": "unknown"]
        default: ["store": "revenuecat"]
        }
    }
}
