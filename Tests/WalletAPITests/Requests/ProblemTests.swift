import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Stores
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct ProblemTests {
    @Test func `an unknown path returns a problem`() async throws {
        try await ServerHarness.withoutDatabase { server in
            for uri in ["/", "/nothing", "/balance/more", "/classes/a/b"] {
                let answer = try await server.send(.get, uri)
                #expect(answer.status == 404)
                #expect(answer.problem == "route-not-found")
            }
        }
    }

    @Test func `a wrong method returns the allowed ones, for every route`() async throws {
        let allowed = [
            "/balance": "GET, HEAD", "/balance/forecast": "GET, HEAD", "/balance/stream": "GET, HEAD",
            "/passes": "GET, HEAD", "/purchases/1/consume": "POST", "/transactions": "GET, HEAD", "/packs": "GET, HEAD",
            "/plans": "GET, HEAD",
            "/subscriptions": "GET, HEAD", "/receipts": "POST", "/purchases": "GET, HEAD",
            "/purchases/1": "GET, HEAD", "/classes": "GET, HEAD", "/classes/a": "GET, HEAD",
            "/bookings": "GET, HEAD, POST", "/bookings/1": "DELETE, GET, HEAD", "/bookings/1/cancel": "POST",
            "/restore": "POST", "/identify": "POST", "/account": "DELETE", "/offers": "GET, HEAD",
            "/offers/signature": "POST", "/webhooks/app-store": "POST", "/webhooks/revenuecat": "POST",
            "/webhooks/google-play": "POST", "/operator/reconcile": "POST", "/operator/classes/a": "GET, HEAD, PUT",
            "/operator/classes/a/cancel": "POST", "/operator/products/a": "PUT", "/operator/adjustments": "POST",
            "/classes/a/waitlist": "DELETE, POST",
            "/health": "GET, HEAD", "/ready": "GET, HEAD", "/openapi.yaml": "GET, HEAD",
        ]
        try await ServerHarness.withoutDatabase { server in
            for (path, methods) in allowed {
                for method in [HTTPRequest.Method.patch, .options, .trace] {
                    let answer = try await server.send(method, path)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer.problem == "method-not-allowed")
                    #expect(answer.headers[.allow] == methods, "\(path)")
                }
            }
        }
    }

    @Test func `a missing and an invalid token have different challenges`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let none = try await server.send(.get, "/balance")
            #expect(none.status == 401)
            #expect(none.problem == "unauthenticated")
            #expect(none.headers[.wwwAuthenticate] == "Bearer realm=\"credit-wallet\"")
            for value in ["Bearer", "Bearer ", "Bearer a b", "Basic dTpw", "bearer x.y.z", "Bearer sb_secret_x"] {
                let bad = try await server.send(.get, "/balance", headers: ["Authorization": value])
                #expect(bad.status == 401, "\(value)")
                #expect(bad.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            }
        }
    }

    @Test func `operator routes refuse user tokens and user routes refuse operator tokens`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let asUser = try await server.send(.put, "/operator/classes/a", as: "u", body: "{}")
            #expect(asUser.problem == "unauthenticated")
            let asOperator = try await server.send(.get, "/balance", token: ServerHarness.operatorToken())
            #expect(asOperator.problem == "unauthenticated")
        }
    }

    static let badBodies: [(body: String, detail: String)] = [
        ("", "The body is missing."),
        ("{", "The body is not valid JSON."),
        ("[]", "The body must be a JSON object; received a list."),
        ("null", "The body must be a JSON object."),
        ("{}", "The member \"class_id\" is required."),
        (#"{"class_id":null}"#, "The member \"class_id\" must not be null."),
        (#"{"class_id":7}"#, "The member \"class_id\" must be a string; received 7."),
        (#"{"class_id":""}"#, "The member \"class_id\" must be 1 to 64 of A-Z a-z 0-9 . _ : -; received \"\"."),
        (#"{"class_id":"a b"}"#, "The member \"class_id\" must be 1 to 64 of A-Z a-z 0-9 . _ : -; received \"a b\"."),
        (
            "{\"class_id\":\"\(String(repeating: "a", count: 70))\"}",
            "The member \"class_id\" must be 1 to 64 of A-Z a-z 0-9 . _ : -; received "
                + "\"\(String(repeating: "a", count: 40))…\" (70 characters)."
        ),
        (#"{"class_id":"a\u0000"}"#, "The body must not contain a NUL character."),
        ("{\"class_id\":\"a\u{0}\"}", "The body must not contain a NUL character."),
        (#"{"class_id":"a","seats":"2"}"#, "The member \"seats\" must be a whole number; received \"2\"."),
        (#"{"class_id":"a","seats":0}"#, "The member \"seats\" must be a whole number from 1 to 100; received 0."),
        (#"{"class_id":"a","seats":-1}"#, "The member \"seats\" must be a whole number from 1 to 100; received -1."),
        (#"{"class_id":"a","seats":101}"#, "The member \"seats\" must be a whole number from 1 to 100; received 101."),
        (
            #"{"class_id":"a","max_amount":-1}"#,
            "The member \"max_amount\" must be a whole number from 0 to 1000000000; received -1."
        ),
        (
            #"{"class_id":"a","pay_with":"money"}"#,
            "The member \"pay_with\" must be unlimited, visits, credits or a lot's id; received \"money\"."
        ),
        (#"{"class_id":"\ud800"}"#, ""),
        (#"{"class_id":"a","seats":1.5}"#, "The member \"seats\" must be a whole number; received 1.5."),
        (#"{"class_id":"a","seats":1e400}"#, ""),
        (
            #"{"class_id":"a","seats":99999999999999999999}"#,
            "The member \"seats\" must be a whole number; received 99999999999999999999."
        ),
    ]

    @Test func `a malformed body is reported with its member`() async throws {
        try await ServerHarness.withDatabase { server in
            for (body, detail) in Self.badBodies {
                let answer = try await server.send(
                    .post,
                    "/bookings",
                    as: "u",
                    headers: ["Idempotency-Key": "k"],
                    body: body
                )
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == "malformed-request", "\(body)")
                if !detail.isEmpty { #expect(try answer.json["detail"] as? String == detail, "\(body)") }
            }
        }
    }

    @Test func `bytes that are not UTF-8 are refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let response = try await server.client.execute(
                uri: "/bookings?dry_run=true",
                method: .post,
                headers: [.authorization: "Bearer \(ServerHarness.token("u"))", .contentType: "application/json"],
                body: ByteBuffer(bytes: Array("{\"class_id\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
            )
            #expect(Answer(response).problem == "malformed-request")
        }
    }

    @Test(arguments: ["text/plain", "application/jsonx", "application/json; charset=latin1", "multipart/form-data"])
    func `another media type is refused`(_ type: String) async throws {
        try await ServerHarness.withDatabase { server in
            for path in ["/bookings?dry_run=true", "/receipts"] {
                let answer = try await server.send(.post, path, as: "u", headers: ["Content-Type": type], body: "{}")
                #expect(answer.status == 415)
                #expect(answer.problem == "unsupported-media-type")
            }
        }
    }

    @Test func `UTF-8 is the only charset allowed`() async throws {
        try await ServerHarness.withDatabase { server in
            let headers = ["Content-Type": "Application/JSON; charset=\"UTF-8\""]
            let answer = try await server.send(.post, "/receipts", as: "u", headers: headers, body: "{}")
            #expect(answer.problem == "malformed-request")
        }
    }

    @Test func `an oversized body is refused by its declared and by its real length`() async throws {
        try await ServerHarness.withDatabase { server in
            let large = "{\"class_id\":\"" + String(repeating: "x", count: 10 * 1024 * 1024) + "\"}"
            for path in ["/bookings?dry_run=true", "/receipts"] {
                let answer = try await server.send(.post, path, as: "u", body: large)
                #expect(answer.status == 413)
                #expect(answer.problem == "payload-too-large")
            }
            // 300 KiB is too large for a booking but not for a receipt.
            let middle = "{\"store\":\"none\",\"receipt\":\"" + String(repeating: "x", count: 300 * 1024) + "\"}"
            #expect(try await server.send(.post, "/bookings?dry_run=true", as: "u", body: middle).status == 413)
            #expect(try await server.send(.post, "/receipts", as: "u", body: middle).status == 400)
            let lying = ["Content-Length": "99999999999"]
            let declared = try await server.send(.post, "/receipts", as: "u", headers: lying)
            #expect(declared.status == 415 || declared.status == 413)
        }
    }

    @Test func `a connection survives a refused body`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let large = String(repeating: "x", count: 10 * 1024 * 1024)
            for _ in 0..<3 {
                let refused = try await server.send(.post, "/receipts", as: "u", body: large)
                #expect(refused.problem == "payload-too-large")
                #expect(try await server.send(.get, "/health").status == 200)
            }
        }
    }

    @Test func `queries and header fields are checked`() async throws {
        try await ServerHarness.withDatabase { server in
            for uri in [
                "/transactions?limit=0", "/transactions?limit=101", "/transactions?limit=-1", "/transactions?limit=x",
                "/transactions?limit=", "/transactions?limit=1&limit=2", "/transactions?cursor=",
                "/transactions?cursor=%00",
                "/transactions?cursor=\(String(repeating: "a", count: 201))", "/bookings?status=all",
                "/bookings?status=%00", "/classes?limit=1e2",
            ] {
                let answer = try await server.send(.get, uri, as: "u")
                #expect(answer.problem == "malformed-request", "\(uri)")
            }
            for value in ["Production", "test", "", "sandbox,production"] {
                let answer = try await server.send(.get, "/balance", as: "u", headers: ["Wallet-Environment": value])
                #expect(answer.problem == "malformed-request", "\(value)")
            }
            let dryRun = try await server.send(.post, "/bookings?dry_run=yes", as: "u", body: #"{"class_id":"a"}"#)
            #expect(dryRun.problem == "malformed-request")
        }
    }

    @Test func `writes require a key`() async throws {
        try await ServerHarness.withDatabase { server in
            let body = #"{"class_id":"a"}"#
            let missing = try await server.send(.post, "/bookings", as: "u", body: body)
            #expect(missing.problem == "idempotency-key-missing")
            // A repeated PUT has the same result, so it needs no key.
            let token = try ServerHarness.operatorToken()
            let definition = try await server.definition(capacity: 1)
            let text = String(decoding: try JSONSerialization.data(withJSONObject: definition), as: UTF8.self)
            let path = "/operator/classes/\(ServerHarness.someClass())"
            for _ in 0..<2 { #expect(try await server.send(.put, path, token: token, body: text).status == 200) }
            let asking = try await server.send(
                .post,
                "/bookings?dry_run=true",
                as: "u",
                headers: ["Idempotency-Key": "a b"],
                body: body
            )
            #expect(asking.problem == "malformed-request")
            for key in ["", "\"", "\"\"", "a b", "\"a\\b\"", "\"a\"b", String(repeating: "k", count: 256)] {
                let answer = try await server.send(
                    .post,
                    "/bookings",
                    as: "u",
                    headers: ["Idempotency-Key": key],
                    body: body
                )
                #expect(answer.status == 400, "\(key)")
            }
        }
    }

    @Test func `impossible ids are not found`() async throws {
        try await ServerHarness.withDatabase { server in
            for uri in [
                "/bookings/1", "/bookings/%00", "/bookings/'", "/bookings/00000000-0000-0000-0000-00000000000g",
            ] {
                let answer = try await server.send(.get, uri, as: "u")
                #expect(answer.problem == "booking-not-found", "\(uri)")
            }
            for id in ["%00", "a%20b", String(repeating: "a", count: 65), "%27"] {
                let answer = try await server.send(.get, "/classes/\(id)")
                #expect(answer.problem == "class-not-found", "\(id)")
            }
            #expect(try await server.send(.get, "/classes/%FF").problem == "route-not-found", "which is no text")
            let purchase = try await server.send(.get, "/purchases/a%00", as: "u")
            #expect(purchase.problem == "purchase-not-found")
        }
    }

    @Test func `the request id is the caller's if it is valid`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let good = try await server.send(.get, "/health", headers: ["X-Request-Id": "abc-123_4.5"])
            #expect(good.headers[.requestID] == "abc-123_4.5")
            for bad in ["a b", "a\"b", "<x>", String(repeating: "a", count: 65)] {
                let answer = try await server.send(.get, "/nothing", headers: ["X-Request-Id": bad])
                #expect(answer.problem == "route-not-found")
                #expect(try answer.json["request_id"] as? String != bad)
            }
        }
    }

    @Test func `without its database the service returns Retry-After`() async throws {
        try await ServerHarness.withoutDatabase { server in
            for uri in ["/balance", "/packs", "/bookings"] {
                let answer = try await server.send(.get, uri, as: "u")
                #expect(answer.status == 503, "\(uri)")
                #expect(answer.headers[.retryAfter].flatMap(Int.init) ?? 0 >= 1)
                #expect(["database-unavailable", "overloaded"].contains(answer.problem))
            }
            #expect(try await server.send(.get, "/ready").problem == "not-ready")
            #expect(try await server.send(.get, "/health").status == 200)
            #expect(try await server.send(.head, "/health").status == 200)
        }
    }

    @Test func `disabled and unsigned forms are distinguished`() async throws {
        let adapt: Adaptation = { clients in
            let receipts = clients.receipts
            clients = StoreClients()
            clients.receipts = receipts
        }
        try await ServerHarness.withDatabase(adapt: adapt) { server in
            let slugs = [
                #"{"store":"app_store"}"#: "malformed-request",
                #"{"store":"shop","receipt":"QQ=="}"#: "malformed-request",
                #"{"store":"app_store","receipt":7}"#: "malformed-request",
                #"{"store":"app_store","receipt":"QQ==","signed_transaction":"a.b.c"}"#: "malformed-request",
                #"{"store":"app_store","signed_transaction":"e30.e30.e30"}"#: "malformed-request",
                #"{"store":"app_store","transaction_id":"1"}"#: "malformed-request",
                #"{"store":"play_store","purchase_token":"x"}"#: "malformed-request",
                #"{"store":"app_store","signed_transaction":{"transactionId":"1"}}"#: "unsigned-transaction",
                #"{"store":"app_store","receipt":{"transactionId":"1"}}"#: "unsigned-transaction",
                #"{"store":"app_store","receipt":"{\"transactionId\":\"1\"}"}"#: "unsigned-transaction",
                #"{"store":"app_store","receipt":""}"#: "malformed-receipt",
                #"{"store":"app_store","receipt":"not base64!"}"#: "malformed-receipt",
            ]
            for (body, slug) in slugs {
                let answer = try await server.send(.post, "/receipts", as: "u", body: body)
                #expect(answer.status == 400)
                #expect(answer.problem == slug, "\(body)")
            }
            // None of these requests queried a store, so none counts toward the limit.
            let last = try await server.send(.post, "/receipts", as: "u", body: "{}")
            #expect(last.headers[.rateLimit] == "\"receipts\";r=10;t=0")
        }
    }
}
