import Logging
import TestSupport
import Testing
import Tracing

@testable import Telemetry

/// Tests of a collector that refuses, is slow or unreachable: spans are lost and counted, and no caller waits.
@Suite struct SpanTroubleTests {
    private static let exported = "otel_sdk_exporter_span_exported_total"
    private static let processed = "otel_sdk_processor_span_processed_total"

    @Test func `after the delay that a collector requests, the same spans are sent again`() async throws {
        try await Collector.run { collector in
            let metrics = PrometheusRegistry(MetricDescription.spans)
            collector.answer([.status(503, retryAfter: 1), .status(429, retryAfter: 0), .status(502)])
            let began = ContinuousClock.now
            try await Exporting.run(self.configuration(collector.url), metrics: metrics) { tracer in
                tracer.startSpan("work", context: .topLevel).end()
                try await collector.wait { $0.count == 4 }
            }
            #expect(ContinuousClock.now - began > .seconds(1))
            #expect(Set(collector.spans.map(\.spanID)).count == 1)
            #expect(metrics.text().contains("\(Self.exported) 1\n"))
        }
    }

    @Test func `a collector may ask for many repetitions without a delay`() async throws {
        try await Collector.run { collector in
            let metrics = PrometheusRegistry(MetricDescription.spans)
            collector.answer([Collector.Answer](repeating: .status(503, retryAfter: 0), count: 100))
            try await Exporting.run(self.configuration(collector.url), metrics: metrics) { tracer in
                tracer.startSpan("work", context: .topLevel).end()
                try await collector.wait { $0.count == 101 }
                try await Self.wait(for: "\(Self.exported) 1\n", in: metrics)
            }
        }
    }

    @Test(arguments: [400, 401, 413, 500, 302])
    func `spans that a collector refuses are counted and not sent again`(status: Int) async throws {
        try await Collector.run { collector in
            let metrics = PrometheusRegistry(MetricDescription.spans)
            collector.answer(always: .status(status))
            try await Exporting.run(self.configuration(collector.url), metrics: metrics) { tracer in
                tracer.startSpan("work", context: .topLevel).end()
                try await collector.wait { $0.count == 1 }
                try await Self.wait(for: "\(Self.exported){error_type=\"\(status)\"} 1\n", in: metrics)
            }
            #expect(collector.exports.count == 1)
        }
    }

    @Test(arguments: ["\"2\"", "2"]) func `partly accepted spans are counted`(
        rejected: String
    ) async throws {
        try await Collector.run { collector in
            let metrics = PrometheusRegistry(MetricDescription.spans)
            collector.answer(always: .body("{\"partialSuccess\":{\"rejectedSpans\":\(rejected)}}"))
            var configuration = self.configuration(collector.url)
            configuration.scheduleDelay = .seconds(600)
            try await Exporting.run(configuration, metrics: metrics) { tracer in
                for _ in 0..<5 { tracer.startSpan("work", context: .topLevel).end() }
            }
            #expect(metrics.text().contains("\(Self.exported) 3\n"))
            #expect(metrics.text().contains("\(Self.exported){error_type=\"rejected\"} 2\n"))
        }
    }

    @Test func `spans beyond the queue are dropped and counted, and no caller waits for the collector`() async throws {
        try await Collector.run { collector in
            let metrics = PrometheusRegistry(MetricDescription.spans)
            collector.answer(always: .hang(.seconds(600)))
            var configuration = self.configuration(collector.url)
            // A full batch is sent at once, and waits for the collector until the service stops.
            configuration.scheduleDelay = .seconds(600)
            configuration.exportTimeout = .seconds(600)
            configuration.timeout = .seconds(600)
            configuration.queueSize = 20
            configuration.batchSize = 10
            configuration.flushTimeout = .milliseconds(200)
            let stopped = try await Exporting.run(configuration, metrics: metrics) { tracer in
                for _ in 0..<10 { tracer.startSpan("work", context: .topLevel).end() }
                try await collector.wait { $0.count == 10 }
                let began = ContinuousClock.now
                for _ in 0..<1_020 { tracer.startSpan("work", context: .topLevel).end() }
                #expect(ContinuousClock.now - began < .seconds(60))
            }
            #expect(stopped < .seconds(60))
            #expect(metrics.text().contains("\(Self.processed){error_type=\"queue_full\"} 1000\n"))
            // The ten spans in flight return to the queue, and spans that the shutdown had no time for are counted as
            // well.
            let left = metrics.text()
            #expect(left.contains("\(Self.processed){error_type=\"already_shutdown\"}"))
            #expect(!left.contains("\(Self.exported) 1"))
        }
    }

    @Test func `an unreachable collector loses spans, and a stop takes no longer than its limit`() async throws {
        var configuration = self.configuration("http://127.0.0.1:9")
        configuration.exportTimeout = .seconds(2)
        configuration.flushTimeout = .milliseconds(300)
        var stopped = Duration.seconds(60)
        // A busy machine may be slow once. A stop that waits for the export is slow each time.
        for _ in 1...5 where stopped >= configuration.exportTimeout {
            let metrics = PrometheusRegistry(MetricDescription.spans)
            stopped = try await Exporting.run(configuration, metrics: metrics) { tracer in
                tracer.startSpan("work", context: .topLevel).end()
                try await Self.wait(for: "\(Self.exported){error_type=\"unreachable\"} 1\n", in: metrics)
                tracer.startSpan("work", context: .topLevel).end()
            }
            #expect(metrics.text().contains("\(Self.exported) 0\n"))
        }
        #expect(stopped < configuration.exportTimeout)
    }

    @Test func `spans that end after the shutdown are counted`() async throws {
        let metrics = PrometheusRegistry(MetricDescription.spans)
        try await Collector.run { collector in
            var late: TraceSpan?
            try await Exporting.run(self.configuration(collector.url), metrics: metrics) { tracer in
                late = tracer.startSpan("work", context: .topLevel)
            }
            late?.end()
            #expect(metrics.text().contains("\(Self.processed){error_type=\"already_shutdown\"} 1\n"))
            #expect(collector.exports.isEmpty)
        }
    }

    private static func wait(for line: String, in metrics: PrometheusRegistry) async throws {
        try await eventually(line) { metrics.text().contains(line) }
    }

    private func configuration(_ url: String) -> OTLPConfiguration {
        var configuration = OTLPConfiguration(url: "\(url)/v1/traces")
        configuration.scheduleDelay = .milliseconds(20)
        return configuration
    }
}
