import Foundation
import Histogram

/// The results of a load, for users and for programs.
struct LoadReport: Sendable {
    let plan: LoadPlan
    let url: String
    let users: Int
    let classes: Int
    let tally: LoadStatistics
    /// The findings of the ledger check; nil if there was no database to check.
    let findings: LoadBooks.Findings?

    /// The bookings per second since the load reached its full size.
    var bookedPerSecond: Double {
        let seconds = self.tally.elapsed - Double(self.plan.ramp)
        return seconds > 0 ? Double(self.tally.bookedAtFullLoad) / seconds : 0
    }

    /// The processor time of this process for each request, in microseconds.
    var processorMicroseconds: Double {
        let requests =
            self.tally.sent + self.tally.reads.sent + self.tally.cancellationAnswers.values.reduce(0, +)
        return requests > 0 ? self.tally.processorTime / Double(requests) * 1_000_000 : 0
    }

    /// A Boolean value that indicates whether the check found no faults; also `true` if there was no check.
    var isInOrder: Bool { self.findings.map { $0.faultCount == 0 } ?? true }

    /// The state of the books in JSON: `in-order`, `off` or `not-checked`.
    var stateOfBooks: String { self.findings == nil ? "not-checked" : self.isInOrder ? "in-order" : "off" }

    /// Returns a sentence for each threshold that was exceeded.
    ///
    /// - Parameters:
    ///   - maxP99: The maximum 99th percentile of the latency of bookings and of reads, in milliseconds; nil for no
    ///     limit.
    ///   - maxFailed: The maximum share of failed bookings and of failed reads; nil for no limit.
    /// - Returns: The sentences; empty if no threshold was exceeded.
    func passed(maxP99: Double?, maxFailed: Double?) -> [String] {
        var sentences: [String] = []
        let bookings = ("bookings", self.tally.latency, self.tally.failed, self.tally.sent + self.tally.unsent)
        let reads = self.tally.reads
        for (name, latency, failed, asked) in [
            bookings, ("reads", reads.latency, reads.failed, reads.sent + reads.unsent),
        ] where asked > 0 {
            let p99 = LoadLatencies(latency).p99
            if let maxP99, p99 > maxP99 {
                sentences.append("The 99th percentile of \(name) was \(p99) ms, above \(maxP99) ms.")
            }
            if let maxFailed, Double(failed) / Double(asked) > maxFailed {
                sentences.append("\(failed) of \(asked) \(name) failed, more than the share of \(maxFailed).")
            }
        }
        return sentences
    }
}

/// The percentiles of latencies, in milliseconds.
struct LoadLatencies: Encodable, Sendable {
    let mean: Double
    let p50: Double
    let p90: Double
    let p95: Double
    let p99: Double
    let p999: Double
    let max: Double

    private enum CodingKeys: String, CodingKey {
        case mean, p50, p90, p95, p99, max
        case p999 = "p99_9"
    }

    init(_ histogram: Histogram<UInt64>) {
        func milliseconds(_ percentile: Double) -> Double {
            Double(histogram.valueAtPercentile(percentile)) / 1_000
        }
        self.mean = histogram.totalCount > 0 ? (histogram.mean / 10).rounded() / 100 : 0
        self.p50 = milliseconds(50)
        self.p90 = milliseconds(90)
        self.p95 = milliseconds(95)
        self.p99 = milliseconds(99)
        self.p999 = milliseconds(99.9)
        self.max = milliseconds(100)
    }

    /// The percentiles with their names, in order.
    var rows: [(name: String, milliseconds: Double)] {
        [
            ("p50", self.p50), ("p90", self.p90), ("p95", self.p95), ("p99", self.p99), ("p99.9", self.p999),
            ("max", self.max),
        ]
    }
}
