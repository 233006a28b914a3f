import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreSync
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// What clients put into bodies, queries and header fields.
@Suite(.serialized) struct RequestFuzzTests {
    /// Reads something of a request; a refusal must be a problem of the client's.
    private static func expectRefusal(_ read: () async throws -> Void) async throws {
        do {
            try await read()
        } catch {
            guard let problem = Problem(error), (400..<500).contains(problem.status.code),
                ProblemTitles.table[problem.slug] != nil
            else { throw FuzzFailure("an undocumented error: \(error)") }
            _ = try WireJSON.encoder.encode(problem.document)
        }
    }

    private static func request(
        path: String = "/x",
        headers: HTTPFields = [:],
        body: [UInt8] = []
    ) -> Request {
        var headers = headers
        headers[.contentType] = "application/json"
        let head = HTTPRequest(method: .post, scheme: "http", authority: "wallet", path: path, headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
    }

    private static let bodies = [
        #"{"class_id":"pottery","seats":2,"pay_with":"credits","max_amount":40}"#,
        #"{"store":"app_store","receipt":"MIIB","transaction_id":"2000"}"#,
        #"{"store":"app_store","signed_transactions":["a.b.c"],"app_transaction":"a.b.c"}"#,
        #"{"store":"play_store","product_id":"pack","purchase_token":"tok"}"#,
        #"{"receiptData":"MIIB","transactionId":"2000"}"#,
        #"{"class_id":"pottery","attendees":[{"name":"Ann","email":"ann@example.com"},{"name":"Ben"}]}"#,
        #"""
        {"title":"Pottery","starts_at":"2026-12-01T10:00:00Z","ends_at":"2026-12-01T12:00:00.5+01:00","capacity":8,
        "price":{"credits":20,"visits":1},"cancellation":{"free_minutes_before":1440},"waitlist":{"cutoff_minutes":60},
        "limits":{"max_seats":2,"days_ahead":30,"opens_minutes_before":1000,"closes_minutes_before":10,"max_overlaps":1}}
        """#,
        #"""
        {"name":"Pack","description":"x","kind":"pack","unit":"credit","amount":100,"bonus":10,"display_order":1,
        "price":{"amount":49.99,"currency":"EUR"},"store_ids":{"app_store":"a.b","play_store":"p","revenuecat":"r"}}
        """#,
        #"""
        {"user_id":"anna","unit":"credit","amount":-5,"reason":"because","reference":"r-1","source":"adjustment",
        "environment":"production","expires_at":"2027-01-01T00:00:00Z"}
        """#,
        #"{"reason":"the kiln broke"}"#, #"{"signedPayload":"a.b.c"}"#,
    ].map { Data($0.utf8) }

    private static func readAsEverything(_ request: () -> Request) async throws {
        try await self.expectRefusal { _ = try await request().json(NewBooking.self).checked() }
        try await self.expectRefusal { _ = try await request().json(WaitlistRequest.self).checked() }
        try await self.expectRefusal {
            let submission = try await request().json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            try await self.expectRefusal { _ = try submission.proof() }
            _ = try submission.proof(restoring: true)
        }
        try await self.expectRefusal { _ = try await request().json(SupabaseReceipt.self).proof }
        try await self.expectRefusal {
            let booking = try await request().json(SupabaseBooking.self)
            _ = try booking.booking(payWith: nil, needsEmail: true)
        }
        try await self.expectRefusal { _ = try await request().json(ClassDefinition.self).checked() }
        try await self.expectRefusal { _ = try await request().json(ClassCancellation.self).checkedReason() }
        try await self.expectRefusal { _ = try await request().json(ProductDefinition.self).checked() }
        try await self.expectRefusal { _ = try await request().json(Adjustment.self).checked(in: .production) }
        try await self.expectRefusal { _ = try await request().json(SignedMessage.self) }
    }

    @Test func `bodies are read, or refused as the client's mistake`() async throws {
        try await Fuzzer("bodies").run { random in
            try FuzzJSON.mutated(random.pick(Self.bodies), &random)
        } check: { bytes in
            try await Self.readAsEverything { Self.request(body: bytes) }
        }
    }

    @Test func `queries are read, or refused as the client's mistake`() async throws {
        let seeds = [
            "limit=20&cursor=Zm9v", "at=2026-11-21T01:31:00Z", "dry_run=true", "status=upcoming", "page=2&limit=10",
            "offset=40&limit=100", "limit=%32%30", "cursor=%00", "a=b&&=&c",
        ]
        try await Fuzzer("queries").run { random in
            Array(FuzzBytes.mutated(random.pick(seeds), &random).utf8)
        } check: { bytes in
            let request = Self.request(path: "/x?" + String(decoding: bytes, as: UTF8.self))
            try await Self.expectRefusal { _ = try request.page() }
            try await Self.expectRefusal { _ = try request.instant("at") }
            try await Self.expectRefusal { _ = try request.isDryRun() }
            try await Self.expectRefusal { _ = try request.bookingFilter() }
            try await Self.expectRefusal { _ = try OffsetQuery.page(request) }
            try await Self.expectRefusal { _ = try OffsetQuery.offset(request, limit: 20) }
        }
    }

    @Test func `header fields are read, or refused as the client's mistake`() async throws {
        let seeds = [
            "\"a-key\"", "a-key", "\"a\\\"b\\\\\"", "production", "sandbox", "W/\"p12-0\", \"p13-0\"", "*",
            "Bearer a.b.c", "application/json; charset=\"utf-8\"", "203.0.113.5, [2001:db8::1]:443", "12", "-1",
            "9223372036854775808",
        ]
        let proxies = TrustedProxies(networks: [])
        try await Fuzzer("header fields").run { random in
            Array(FuzzBytes.mutated(random.pick(seeds), &random).utf8)
        } check: { bytes in
            let value = String(decoding: bytes, as: UTF8.self)
            let names: [HTTPField.Name] = [
                .idempotencyKey, .walletEnvironment, .ifNoneMatch, .authorization, .contentLength, .forwardedFor,
            ]
            let fields = HTTPFields(names.map { HTTPField(name: $0, value: value) })
            let request = Self.request(headers: fields, body: [0x7B])
            try await Self.expectRefusal {
                let key = try request.idempotencyKey()
                guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw FuzzFailure("a key that is none: \(key.debugDescription)")
                }
            }
            try await Self.expectRefusal { _ = try request.walletEnvironment() }
            try await Self.expectRefusal { _ = try BearerCredentials.token(in: request.headers) }
            try await Self.expectRefusal { _ = try await request.json(NewBooking.self) }
            _ = request.alreadyHolds("\"p12-0\"")
            _ = proxies.client(behind: nil, forwardedFor: [value])
        }
    }

    /// What was once found, or was thought to be worth finding.
    @Test(arguments: [
        "99999999999999999999-01-01T00:00:00Z", "0000-00-00T00:00:00Z", "-0001-01-01T00:00:00Z",
        "2026-11-21T01:31:00+99:99", "2026-11-21T01:31:00.999999999999999999Z", "2026-02-30T25:61:61Z",
        "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z", "",
    ])
    func `odd instants are instants or nothing`(text: String) {
        if let instant = WireJSON.instant(text) { #expect(WireJSON.text(instant).count == 20) }
    }
}
