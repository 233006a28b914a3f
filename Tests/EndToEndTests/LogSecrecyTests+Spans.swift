import Foundation
import TestSupport
import Testing
import WalletClient

/// Tests of the spans that the running executable sends to a collector; the suite also checks them for user data.
extension LogSecrecyTests {
    private static let parent = "b7ad6b7169203331"

    private var collector: Collector {
        get throws {
            guard let collector = Collector.scoped else { throw HarnessError("no collector here") }
            return collector
        }
    }

    private static func newTrace() -> String { UUID().uuidString.lowercased().replacing("-", with: "") }

    /// Waits for the spans of a trace; the span of the request arrives last.
    private func spans(of trace: String) async throws -> [CollectedSpan] {
        try await self.collector.wait { spans in spans.contains { $0.traceID == trace && $0.kind == 2 } }
            .filter { $0.traceID == trace }
    }

    private func bookingFields(_ trace: String, flags: String = "01") -> [(String, String)] {
        [("traceparent", "00-\(trace)-\(Self.parent)-\(flags)"), ("idempotency-key", UUID().uuidString)]
    }

    @Test func `a booking's spans form a tree: caller, request, queue, batch, statement`() async throws {
        let user = try self.wallet.user("spanned")
        try await self.wallet.give(50, to: user)
        let body = #"{"class_id":"\#(try await self.wallet.makeClass(credits: 20))"}"#
        let trace = Self.newTrace()
        #expect(try await user.send(.post, "/bookings", headers: self.bookingFields(trace), body: body).status == 201)

        let spans = try await self.spans(of: trace)
        let request = try #require(spans.first { $0.kind == 2 })
        #expect(request.name == "POST /bookings")
        #expect(request.parentID == Self.parent)
        let port = try #require(URL(string: self.wallet.http.baseURL)?.port)
        #expect(
            request.attributes == [
                "http.request.method": "POST", "http.route": "/bookings", "http.response.status_code": "201",
                "url.path": "/bookings", "url.scheme": "http", "server.address": "127.0.0.1", "server.port": "\(port)",
            ]
        )
        let queue = try #require(spans.first { $0.name == "bookings queue" })
        let batch = try #require(spans.first { $0.name == "bookings batch" })
        let statement = try #require(spans.first { $0.name == "SELECT wallet.book_batch" })
        #expect(queue.parentID == request.spanID)
        #expect(batch.parentID == queue.spanID)
        #expect(statement.parentID == batch.spanID)
        #expect(batch.attributes == ["wallet.batch.size": "1", "wallet.queue.name": "bookings"])
        #expect(statement.kind == 3)
        #expect(
            statement.attributes == [
                "db.system.name": "postgresql", "db.operation.name": "SELECT",
                "db.query.summary": "SELECT wallet.book_batch",
            ]
        )
        for (outer, inner) in [(request, queue), (queue, batch), (batch, statement)] {
            #expect(outer.times.lowerBound <= inner.times.lowerBound)
            #expect(inner.times.upperBound <= outer.times.upperBound)
        }
        #expect(!spans.contains { $0.isError })

        let resource = try #require(try self.collector.exports.first?.resource)
        #expect(resource["service.name"] == "credit-wallet")
        #expect(resource["telemetry.sdk.language"] == "swift")
    }

    @Test func `a refusal has its reason, a failure is an error, and neither contains ids of a path`() async throws {
        let user = try self.wallet.user("refused")
        let (refused, failed, lost) = (Self.newTrace(), Self.newTrace(), Self.newTrace())
        let booking = "/bookings/\(UUID().uuidString.lowercased())"
        #expect(try await user.send(.get, booking, headers: self.bookingFields(refused)).status == 404)
        let request = try #require(try await self.spans(of: refused).first { $0.kind == 2 })
        #expect(request.attributes["wallet.problem"] == "booking-not-found")
        #expect(request.attributes["url.path"] == request.attributes["http.route"])
        #expect(!request.name.contains(booking))
        #expect(!request.isError)

        let sale = try await self.wallet.store.buy(SandboxStore.starter, for: user.id, ["store": "play_store"])
        try await self.wallet.store.fail(["target": "play", "status": 500, "count": 20])
        let body = """
            {"store":"play_store","product_id":"\(SandboxStore.starter)","purchase_token":"\(sale.purchaseToken)"}
            """
        #expect(
            try await user.send(.post, "/receipts", headers: self.bookingFields(failed), body: body).status == 503
        )
        try await self.wallet.store.healFaults()
        let spans = try await self.spans(of: failed)
        let failure = try #require(spans.first { $0.kind == 2 })
        #expect(failure.isError)
        #expect(failure.attributes["error.type"] == "verification-unavailable")
        let call = try #require(spans.first { $0.attributes["http.response.status_code"] == "500" && $0.kind == 3 })
        #expect(call.isError)
        #expect(call.attributes["error.type"] == "500")
        #expect(call.attributes["server.address"] == "127.0.0.1")
        #expect(call.attributes.keys.allSatisfy { !$0.hasPrefix("url.") || $0 == "url.scheme" })

        _ = try await self.wallet.http.send(.get, "/no/\(booking)", headers: self.bookingFields(lost))
        let none = try #require(try await self.spans(of: lost).first)
        #expect(none.name == "GET")
        #expect(none.attributes["url.path"] == "REDACTED")
        #expect(none.attributes["http.route"] == nil)
        for export in try self.collector.exports {
            #expect(!export.body.contains(booking.dropFirst(10)) && !export.body.contains(sale.purchaseToken))
        }
    }

    @Test func `unsampled traces are not recorded, and a silent collector delays no request`() async throws {
        let user = try self.wallet.user("unrecorded")
        try await self.wallet.give(100, to: user)
        let collector = try self.collector
        collector.answer(always: .hang(.seconds(600)))
        let unrecorded = Self.newTrace()
        var slowest: Duration = .zero
        for place in 0..<20 {
            let body = #"{"class_id":"\#(try await self.wallet.makeClass(credits: 1))"}"#
            let fields = self.bookingFields(place == 0 ? unrecorded : Self.newTrace(), flags: place == 0 ? "00" : "01")
            let began = ContinuousClock.now
            #expect(try await user.send(.post, "/bookings", headers: fields, body: body).status == 201)
            slowest = max(slowest, began.duration(to: .now))
        }
        // The collector has received requests and has not responded yet.
        #expect(slowest < .seconds(5))
        collector.answer(always: .status(200))

        let recorded = Self.newTrace()
        #expect(try await user.send(.get, "/balance", headers: self.bookingFields(recorded)).status == 200)
        try await collector.wait(for: .seconds(60)) { spans in spans.contains { $0.traceID == recorded } }
        #expect(!collector.spans.contains { $0.traceID == unrecorded })
    }
}
