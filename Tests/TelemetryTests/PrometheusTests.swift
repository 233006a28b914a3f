import CoreMetrics
import Foundation
import Testing

@testable import Telemetry

@Suite struct PrometheusTests {
    private typealias Timer = CoreMetrics.Timer

    private func registry(limit: Int = 1_000) -> PrometheusRegistry {
        PrometheusRegistry(
            [
                .counter("jobs_total", "Jobs."), .gauge("depth", "Depth, with a \\ and\na break."),
                .histogram("wait_seconds", "Wait.", bounds: [0.1, 0.5, 2]),
            ],
            seriesLimit: limit
        )
    }

    @Test func `a family is written with its help, type and series, ordered by their labels`() {
        let registry = self.registry()
        Counter(label: "jobs_total", dimensions: [("kind", "b")], factory: registry).increment(by: 2)
        Counter(label: "jobs_total", dimensions: [("kind", "a"), ("at", "1")], factory: registry).increment()

        #expect(
            registry.text() == """
                # HELP jobs_total Jobs.
                # TYPE jobs_total counter
                jobs_total{at="1",kind="a"} 1
                jobs_total{kind="b"} 2

                """
        )
    }

    @Test func `metrics of one wallet of several have its name as a label`() {
        let registry = self.registry(limit: 2)
        MetricOwner.$wallet.withValue("eu") {
            Counter(label: "jobs_total", dimensions: [("kind", "a")], factory: registry).increment()
            Counter(label: "jobs_total", dimensions: [("kind", "a"), ("wallet", "eu")], factory: registry).increment()
            Meter(label: "depth", factory: registry).set(1)
        }
        Counter(label: "jobs_total", dimensions: [("kind", "a")], factory: registry).increment()
        MetricOwner.$wallet.withValue("us") {
            Counter(label: "jobs_total", dimensions: [("kind", "b")], factory: registry).increment()
        }

        let samples = registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            samples == [
                #"jobs_total{kind="a"} 1"#, #"jobs_total{kind="a",wallet="eu"} 2"#,
                // A series beyond the limit keeps its wallet label.
                #"jobs_total{kind="other",wallet="us"} 1"#, #"depth{wallet="eu"} 1"#,
            ]
        )
    }

    @Test func `labels and help cannot break out of their line`() {
        let registry = self.registry()
        Meter(label: "depth", dimensions: [("odd name!", "a\"b\\c\nd{}")], factory: registry).set(1.5)

        #expect(
            registry.text() == """
                # HELP depth Depth, with a \\\\ and\\na break.
                # TYPE depth gauge
                depth{odd_name_="a\\"b\\\\c\\nd{}"} 1.5

                """
        )
    }

    @Test func `buckets of a histogram are cumulative`() {
        let registry = self.registry()
        let timer = Timer(label: "wait_seconds", factory: registry)
        for milliseconds in [50, 100, 101, 499, 2_000, 2_001, 60_000] { timer.recordMilliseconds(milliseconds) }
        Recorder(label: "wait_seconds", factory: registry).record(Double.nan)

        #expect(
            registry.text() == """
                # HELP wait_seconds Wait.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.1"} 2
                wait_seconds_bucket{le="0.5"} 4
                wait_seconds_bucket{le="2"} 5
                wait_seconds_bucket{le="+Inf"} 7
                wait_seconds_sum 64.751
                wait_seconds_count 7

                """
        )
    }

    @Test(arguments: [
        (0.0, "0"), (-3, "-3"), (0.000_5, "0.0005"), (1e-7, "1e-07"), (1e15, "1000000000000000"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"),
    ])
    func `numbers are written in the scrapers' format`(value: Double, text: String) {
        #expect(PrometheusText.number(value) == text)
    }

    @Test func `a gauge without a value is not shown, nor a family without series`() {
        let registry = self.registry()
        let depth = Meter(label: "depth", factory: registry)
        #expect(registry.text().isEmpty)
        depth.increment()
        depth.increment(by: 2.0)
        depth.decrement()
        #expect(registry.text().contains("\ndepth 2\n"))
    }

    @Test func `a counter does not decrease`() {
        let registry = self.registry()
        let counter = Counter(label: "jobs_total", factory: registry)
        counter.increment(by: 5)
        counter.increment(by: -3)
        FloatingPointCounter(label: "jobs_total", factory: registry).increment(by: 0.5)
        #expect(registry.text().contains("\njobs_total 5.5\n"))
    }

    @Test func `metrics without a description, or with another type, are dropped`() {
        let registry = self.registry()
        Counter(label: "made_up_total", factory: registry).increment()
        Counter(label: "depth", factory: registry).increment()
        Meter(label: "jobs_total", factory: registry).set(1)
        Gauge(label: "wait_seconds", factory: registry).record(1)
        Timer(label: "jobs_total", factory: registry).recordSeconds(1)
        #expect(!registry.text().contains("made_up"))
        #expect(registry.text().isEmpty)
    }

    @Test func `beyond the limit, all further series are combined`() {
        let registry = self.registry(limit: 3)
        for number in 0..<50 {
            Counter(label: "jobs_total", dimensions: [("kind", "\(number)")], factory: registry).increment()
        }
        let lines = registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 4)
        #expect(lines.contains("jobs_total{kind=\"other\"} 47"))
    }

    @Test func `concurrent counts are not lost`() async {
        let registry = self.registry()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<1_000 {
                        let labels = [("kind", "\(number % 3)")]
                        Counter(label: "jobs_total", dimensions: labels, factory: registry).increment()
                        Timer(label: "wait_seconds", factory: registry).recordMilliseconds(task * 100)
                        if number % 100 == 0 { _ = registry.text() }
                    }
                }
            }
        }
        let text = registry.text()
        #expect(text.contains("jobs_total{kind=\"0\"} 2672\n"))
        #expect(text.contains("wait_seconds_count 8000\n"))
        #expect(text.contains("wait_seconds_bucket{le=\"0.1\"} 2000\n"))
    }

    @Test func `collected values are refreshed before each scrape`() {
        let registry = self.registry()
        let depth = Meter(label: "depth", factory: registry)
        registry.beforeScrape { depth.increment() }
        #expect(registry.text().contains("\ndepth 1\n"))
        #expect(registry.text().contains("\ndepth 2\n"))
    }

    #if os(Linux)
        @Test func `the process shows its memory, descriptors, processor time and start`() throws {
            let registry = PrometheusRegistry(ProcessMetrics.descriptions)
            let process = ProcessMetrics(factory: registry)
            registry.beforeScrape { process.update() }
            let values = Dictionary(
                uniqueKeysWithValues: registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                    let parts = line.split(separator: " ")
                    return (String(parts[0]), Double(parts[1]) ?? -1)
                }
            )
            #expect(try #require(values["process_resident_memory_bytes"]) > 1_000_000)
            #expect(try #require(values["process_open_fds"]) >= 3)
            #expect(try #require(values["process_cpu_seconds_total"]) > 0)
            let start = try #require(values["process_start_time_seconds"])
            #expect((0...86_400).contains(Date.now.timeIntervalSince1970 - start))
        }
    #endif
}
