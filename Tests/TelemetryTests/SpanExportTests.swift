import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing
import Tracing

@testable import Telemetry

/// Tests of span export to a collector that accepts spans, is slow, refuses them or is unreachable.
@Suite struct SpanExportTests {
    @Test func `spans arrive with their parents, attributes and resource`() async throws {
        try await Collector.run { collector in
            var configuration = OTLPConfiguration(url: "\(collector.url)/v1/traces")
            configuration.headers = ["api-key": "a, b"]
            configuration.resource = ["service.name": "wallet", "service.version": "0.1.0"]
            try await Exporting.run(configuration) { tracer in
                var caller = ServiceContext.topLevel
                let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                caller.trace = TraceContext(traceparent: parent, tracestate: "congo=t61rcWkgMzE")
                let outer = tracer.startSpan("POST", context: caller, ofKind: .server)
                outer.operationName = "POST /bookings"
                outer.attributes["http.response.status_code"] = 503
                outer.setStatus(SpanStatus(code: .error, message: "not kept"))
                let inner = tracer.startSpan("SELECT", context: outer.context, ofKind: .client)
                inner.addLink(SpanLink(context: outer.context, attributes: [:]))
                inner.end()
                inner.end()
                outer.end()
            }

            let export = try #require(collector.exports.first)
            #expect(export.path == "/v1/traces")
            #expect(export.header("content-type") == "application/json")
            #expect(export.header("api-key") == "a, b")
            // The exporter creates no spans for its own requests, and sends them without a trace.
            #expect(export.header("traceparent") == nil)
            #expect(export.resource == ["service.name": "wallet", "service.version": "0.1.0"])
            #expect(collector.spans.map(\.name) == ["SELECT", "POST /bookings"])
            try #require(collector.spans.count == 2)
            let (inner, outer) = (collector.spans[0], collector.spans[1])
            #expect(outer.traceID == "0af7651916cd43dd8448eb211c80319c")
            #expect(outer.parentID == "b7ad6b7169203331")
            #expect(outer.state == "congo=t61rcWkgMzE")
            #expect(outer.flags == 1)
            #expect((outer.kind, inner.kind) == (2, 3))
            #expect(outer.attributes == ["http.response.status_code": "503"])
            #expect(outer.isError && !inner.isError)
            #expect(inner.traceID == outer.traceID)
            #expect(inner.parentID == outer.spanID)
            #expect(inner.links == [outer.spanID])
            #expect(outer.times.contains(inner.times.lowerBound) && outer.times.contains(inner.times.upperBound))
            #expect(abs(Double(outer.times.upperBound) / 1e9 - Date().timeIntervalSince1970) < 60)
            #expect(!export.body.contains("not kept"))
        }
    }

    @Test func `a library's span is exported without address, query and error text`() async throws {
        struct SecretError: Error, CustomStringConvertible { let description = "a-secret" }
        try await Collector.run { collector in
            try await Exporting.run(OTLPConfiguration(url: "\(collector.url)/v1/traces")) { tracer in
                let call = tracer.startSpan("GET", context: .topLevel, ofKind: .client)
                call.updateAttributes { attributes in
                    for name in ["url.full", "url.path", "url.query", "enduser.id"] { attributes[name] = "a-secret" }
                    attributes["server.address"] = "store.example"
                    attributes["http.status_code"] = SpanAttribute.int64(404)
                }
                call.addEvent(SpanEvent(name: "a-secret"))
                call.end()
                let failed = tracer.startSpan("GET", context: .topLevel, ofKind: .client)
                failed.recordError(SecretError())
                failed.end()
            }

            try #require(collector.spans.count == 2)
            let (call, failed) = (collector.spans[0], collector.spans[1])
            #expect(
                call.attributes == [
                    "server.address": "store.example", "http.response.status_code": "404",
                    "error.type": "404",
                ]
            )
            #expect(failed.attributes == ["error.type": "SecretError"])
            #expect(failed.isError)
            #expect(collector.exports.allSatisfy { !$0.body.contains("a-secret") })
        }
    }

    @Test func `a full batch is sent at once, and the rest when the service stops`() async throws {
        try await Collector.run { collector in
            var configuration = OTLPConfiguration(url: "\(collector.url)/v1/traces")
            configuration.batchSize = 10
            configuration.scheduleDelay = .seconds(600)
            try await Exporting.run(configuration) { tracer in
                for _ in 0..<25 { tracer.startSpan("work", context: .topLevel).end() }
                try await collector.wait { $0.count >= 20 }
            }
            // The stop may end a request that the collector has taken; its batch is then sent again.
            let batches = Set(collector.exports.map { Set($0.spans.map(\.spanID)) })
            #expect(batches.map(\.count).sorted() == [5, 10, 10])
            #expect(Set(collector.spans.map(\.spanID)).count == 25)
        }
    }

    @Test func `spans wait no longer than the delay`() async throws {
        try await Collector.run { collector in
            var configuration = OTLPConfiguration(url: "\(collector.url)/v1/traces")
            configuration.scheduleDelay = .milliseconds(50)
            try await Exporting.run(configuration) { tracer in
                tracer.startSpan("work", context: .topLevel).end()
                try await collector.wait { !$0.isEmpty }
            }
            // On a busy machine the answer may come after the exporter's deadline, and the batch is sent again.
            #expect(Set(collector.spans.map(\.spanID)).count == 1)
        }
    }

    @Test func `a sampler that samples nothing records no span, and callees get that decision`() async throws {
        try await Collector.run { collector in
            var configuration = OTLPConfiguration(url: "\(collector.url)/v1/traces")
            configuration.sampler = TraceSampler(.alwaysOff)
            try await Exporting.run(configuration) { tracer in
                let span = tracer.startSpan("work", context: .topLevel)
                #expect(!span.isRecording)
                #expect(span.context.trace?.traceparent.hasSuffix("-00") == true)
                span.end()
            }
            #expect(collector.exports.isEmpty)
        }
    }
}

/// A service that only exports spans.
enum Exporting {
    /// Runs the service while the body runs, and then stops it as a signal does.
    ///
    /// - Parameters:
    ///   - configuration: The export's address and settings.
    ///   - metrics: The registry of the export's counters.
    ///   - body: A closure that receives the tracer.
    /// - Returns: The time that the service took to stop.
    /// - Throws: An error that the body throws.
    @discardableResult
    static func run(
        _ configuration: OTLPConfiguration,
        metrics: PrometheusRegistry = PrometheusRegistry(MetricDescription.spans),
        _ body: (SpanTracer) async throws -> Void
    ) async throws -> Duration {
        let recorder = SpanRecorder(configuration, logger: .silent, metrics: metrics)
        let group = ServiceGroup(services: [recorder.processor], logger: .silent)
        let running = Task { try await group.run() }
        do {
            try await body(SpanTracer(recorder: recorder))
        } catch {
            running.cancel()
            throw error
        }
        return try await ContinuousClock().measure {
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}

extension Logger {
    fileprivate static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
