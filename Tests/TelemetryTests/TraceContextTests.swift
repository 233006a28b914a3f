import Foundation
import Logging
import Testing
import Tracing

@testable import Telemetry

/// Tests of the rules of W3C Trace Context, level 1, with the cases of the W3C test suite.
@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("ff", true)])
    func `a caller's trace continues with a new span`(flags: String, isSampled: Bool) throws {
        let caller = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-\(flags)"))
        #expect(caller.traceID == Self.trace)
        #expect(caller.spanID == Self.span)
        #expect(caller.isSampled == isSampled)
        let child = caller.child()
        #expect(child.traceID == Self.trace)
        #expect(child.spanID != Self.span)
        #expect(child.traceparent == "00-\(Self.trace)-\(child.spanID)-\(isSampled ? "01" : "00")")
        #expect(TraceContext(traceparent: child.traceparent) == child)
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "not a traceparent",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-B7AD6B7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0A",
        "0A-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319cc-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-é",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ])
    func `a malformed field begins a new trace`(field: String) {
        #expect(TraceContext(traceparent: field) == nil)
    }

    @Test(arguments: ["cc", "cc-", "cc-what-the-future-will-be-like"])
    func `a later version is read as far as it is specified`(field: String) throws {
        let parts = field.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count > 1 ? "-\(parts[1])" : ""
        let caller = try #require(TraceContext(traceparent: "\(parts[0])-\(Self.trace)-\(Self.span)-01\(rest)"))
        #expect(caller.traceparent == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test func `generated ids are well-formed and unique`() {
        let made = (0..<10_000).map { _ in TraceContext() }
        #expect(Set(made.map(\.traceID)).count == made.count)
        #expect(Set(made.map(\.spanID)).count == made.count)
        #expect(made.allSatisfy { TraceContext(traceparent: $0.traceparent) == $0 })
    }

    @Test(arguments: [
        ("foo=1", "foo=1"), ("foo=1,bar=2", "foo=1,bar=2"), (" foo=1 ,\tbar=2,", "foo=1,bar=2"),
        ("foo=1,,bar=2", "foo=1,bar=2"),
        ("0tenant@sys=1", "0tenant@sys=1"), ("f_o-o*/1=b a!~r", "f_o-o*/1=b a!~r"),
        ("congo=t61rcWkgMzE", "congo=t61rcWkgMzE"),
    ])
    func `other vendors' trace state is passed on`(field: String, carried: String) throws {
        let caller = try #require(
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: field)
        )
        #expect(caller.child().state == carried)
    }

    @Test(arguments: [
        "", " ", "foo", "foo=", "=1", "foo =1", "FOO=1", "foo.bar=1", "foo@=1", "@foo=1", "foo@@bar=1", "foo@bar@baz=1",
        "0foo=1", "foo=1=2", "foo=1,foo=1", "foo=1,foo=2", "foo=\u{1}", "foo=é",
        String(repeating: "z", count: 257) + "=1",
        String(repeating: "t", count: 242) + "@v=1", "t@" + String(repeating: "v", count: 15) + "=1",
        "foo=" + String(repeating: "v", count: 257),
        (0..<33).map { "k\($0)=1" }.map { "a\($0)" }.joined(separator: ","),
    ])
    func `an invalid tracestate is dropped, and the trace continues`(field: String) throws {
        let caller = try #require(
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: field)
        )
        #expect(caller.state == nil)
    }

    @Test func `an oversized tracestate loses its long members first, then the oldest`() {
        let long = "long=" + String(repeating: "v", count: 200)
        let short = (0..<32).map { "key\($0)=" + String(repeating: "v", count: 12) }
        #expect(
            TraceState.carried(([long] + short.prefix(25)).joined(separator: ","))
                == short.prefix(25).joined(separator: ",")
        )
        let carried = TraceState.carried(short.joined(separator: ",")) ?? ""
        #expect(carried.utf8.count <= 512)
        #expect(carried == short.prefix(carried.split(separator: ",").count).joined(separator: ","))
        #expect(carried.utf8.count > 480)
    }

    @Test func `a call carries the trace in its header fields, with a new span`() throws {
        var context = ServiceContext.topLevel
        context.trace = TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: "foo=1")
        let span = SpanTracer().startSpan("call", context: context)
        var fields: [String: String] = [:]
        SpanTracer().inject(span.context, into: &fields, using: Fields())
        let callID = try #require(span.context.trace?.spanID)
        #expect(callID != Self.span)
        #expect(fields == ["traceparent": "00-\(Self.trace)-\(callID)-01", "tracestate": "foo=1"])

        var extracted = ServiceContext.topLevel
        SpanTracer().extract(fields, into: &extracted, using: Fields())
        #expect(extracted.trace == span.context.trace)
        SpanTracer().extract(["traceparent": "00-bad"], into: &extracted, using: Fields())
        #expect(extracted.trace?.traceID == Self.trace)
    }

    @Test func `log lines of a request have its ids, others have none`() throws {
        let file = try TemporaryFile()
        let output = LogOutput(descriptor: file.handle.fileDescriptor)
        let logger = Logger(label: "wallet.test") { label in
            JSONLogHandler(label: label, output: output, metadataProvider: .trace)
        }
        var trace = TraceContext(traceID: Self.trace, spanID: Self.span, isSampled: false, state: nil)
        trace.requestID = "r-1"
        var context = ServiceContext.topLevel
        context.trace = trace
        logger.info("before")
        ServiceContext.withValue(context) { logger.info("inside") }

        let lines = try file.objects()
        #expect(lines.first?["trace_id"] == nil)
        #expect(lines.last?["trace_id"] as? String == Self.trace)
        #expect(lines.last?["span_id"] as? String == Self.span)
        #expect(lines.last?["request_id"] as? String == "r-1")
    }

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }
}
