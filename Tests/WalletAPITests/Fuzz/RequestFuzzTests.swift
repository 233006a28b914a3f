import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StoreSync
import TestSupport
import Testing
import Wallet

@testable import WalletAPI
@testable import WalletSupabase

/// Fuzz tests of bodies, queries and header fields from clients.
@Suite(.serialized) struct RequestFuzzTests {
    /// Runs the read operation; it may only throw a client error.
    private static func expectRefusal(_ read: () async throws -> Void) async throws {
        do {
            try await read()
        } catch {
            guard let problem = Problem(error), (400..<500).contains(problem.status.code),
                ProblemType.all[problem.slug] != nil
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

    /// Decodes a body as each type that a route reads.
    private static let readers: [@Sendable (@escaping @Sendable () -> Request) async throws -> Void] = [
        { request in try await Self.expectRefusal { _ = try await request().json(BookingRequest.self).checked() } },
        { request in try await Self.expectRefusal { _ = try await request().json(WaitlistRequest.self).checked() } },
        { request in
            try await Self.expectRefusal {
                let submission = try await request().json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
                try await Self.expectRefusal { _ = try submission.proof() }
                _ = try submission.proof(restoring: true)
            }
        },
        { request in try await Self.expectRefusal { _ = try await request().json(SupabaseReceipt.self).proof } },
        { request in
            try await Self.expectRefusal {
                let booking = try await request().json(SupabaseBooking.self)
                _ = try booking.booking(payWith: nil, needsEmail: true)
            }
        },
        { request in try await Self.expectRefusal { _ = try await request().json(ClassDefinition.self).checked() } },
        { request in
            try await Self.expectRefusal { _ = try await request().json(ClassCancellation.self).checkedReason() }
        },
        { request in try await Self.expectRefusal { _ = try await request().json(ProductDefinition.self).checked() } },
        { request in
            try await Self.expectRefusal { _ = try await request().json(Adjustment.self).checked(in: .production) }
        },
        { request in try await Self.expectRefusal { _ = try await request().json(SignedMessage.self) } },
        { request in
            try await Self.expectRefusal {
                let action = try await request().json(OperatorAction.self)
                for description in ActionDescription.all {
                    try await Self.expectRefusal { _ = try action.checked(for: description, in: .production) }
                }
            }
        },
    ]

    @Test func `bodies are read, or refused as the client's mistake`() async throws {
        try await Fuzzer("bodies").run { random in
            try FuzzJSON.mutated(random.pick(Self.bodies), &random)
        } check: { bytes in
            for read in Self.readers { try await read { Self.request(body: bytes) } }
        }
    }

    /// A regression test for a case found by fuzzing: 500 brackets took 0.8 seconds.
    ///
    /// The processing time of a body must be proportional to its length.
    @Test(arguments: [
        ("[", "]", 500), ("[", "]", 40), ("[", "]", 50_000), (#"{"a":"#, "}", 500), (#"{"class_id":"#, "}", 1),
        (#"{"reason":{"a":"#, "}}", 1), (#"{"store":"app_store","receipt":"#, "}", 1), (#"[{"a":["#, "]}]", 150),
    ])
    func `a hostile body is refused in time`(open: String, close: String, depth: Int) async throws {
        let fillings = [
            "1", String(repeating: "[", count: 300) + String(repeating: "]", count: 300),
            "[" + Array(repeating: "0", count: 30_000).joined(separator: ",") + "]",
            "[" + Array(repeating: "1.5", count: 20_000).joined(separator: ",") + "]",
            "[" + Array(repeating: "[1.5]", count: 95).joined(separator: ",") + "]",
            "[" + Array(repeating: #""\u0001""#, count: 20_000).joined(separator: ",") + "]",
            "\"" + String(repeating: #"\u0001"#, count: 30_000) + "\"",
        ]
        for filling in fillings {
            let text = String(repeating: open, count: depth) + filling + String(repeating: close, count: depth)
            let body = Array(text.utf8)
            for read in Self.readers { try await FuzzTime.check { try await read { Self.request(body: body) } } }
        }
    }

    @Test func `a number out of range is reported quickly, even in a large body`() async throws {
        let others = Array(repeating: "1.5", count: 99).joined(separator: ",")
        for padding in ["", String(repeating: "a", count: 60_000)] {
            let body = Array(#"{"class_id":"\#(padding)","seats":1.5,"others":[\#(others)]}"#.utf8)
            try await FuzzTime.check {
                let problem = await #expect(throws: Problem.self) {
                    try await Self.request(body: body).json(BookingRequest.self)
                }
                #expect(problem?.detail?.contains("number") == true)
                #expect(problem?.detail?.contains("not valid JSON") == false)
            }
        }
    }

    @Test func `an instant is read exactly if it exists`() async throws {
        try await Fuzzer("instants").run { random in
            // The input is the seed of an instant, so that the check can create the same instant.
            withUnsafeBytes(of: random.next()) { Array($0) }
        } check: { bytes in
            var random = FuzzRandom(seed: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }, number: 0)
            let instant = FuzzInstant(&random)
            let read = WireJSON.instant(instant.text)
            guard (read != nil) == instant.exists else { throw FuzzFailure("\(instant.text) is \(read as Any)") }
            guard let read else { return }
            guard Int(read.timeIntervalSince1970.rounded(.down)) == instant.seconds else {
                throw FuzzFailure("\(instant.text) is read as \(WireJSON.text(read))")
            }
        }
    }

    @Test func `queries are read, or refused as client errors`() async throws {
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

    @Test func `header fields are read, or refused as client errors`() async throws {
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
            try await Self.expectRefusal { _ = try await request.json(BookingRequest.self) }
            _ = request.alreadyHolds("\"p12-0\"")
            _ = proxies.client(behind: nil, forwardedFor: [value])
        }
    }

    /// Instants that fuzzing found or that are likely to fail.
    @Test(arguments: [
        "99999999999999999999-01-01T00:00:00Z", "0000-00-00T00:00:00Z", "-0001-01-01T00:00:00Z",
        "2026-11-21T01:31:00+99:99", "2026-11-21T01:31:00.999999999999999999Z", "2026-02-30T25:61:61Z",
        "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z", "",
    ])
    func `odd instants are read correctly or refused`(text: String) {
        if let instant = WireJSON.instant(text) { #expect(WireJSON.text(instant).count == 20) }
    }

    @Test(arguments: [
        "2027-02-29T10:00:00Z", "2026-02-30T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T25:00:00Z", "2026-11-21T10:61:00Z", "2026-11-21T10:00:60Z", "2016-12-31T23:59:60Z",
        "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00+01:60", "2026-11-21T10:00:00+0100",
        "2026-11-21T10:00:00+01", "2026-11-21T10:00:00", "2026-11-21", "2026-11-21 10:00:00Z", "20261121T100000Z",
        "2026-1-2T10:00:00Z", " 2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z ", "2026-11-21T10:00:00.Z",
        "+2026-11-21T10:00:00Z", "２０２６-11-21T10:00:00Z", "2026-W47-6T10:00:00Z", "2026-325T10:00:00Z",
    ])
    func `an invalid instant is refused`(text: String) {
        #expect(WireJSON.instant(text) == nil)
    }
}
