package import CommandOutput
package import Foundation
import Histogram

/// The results of a load, for users and for programs.
package struct LoadReport: Sendable {
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

    /// Requires correct books, at least one booking unless the load only read, and latencies and failures within limits.
    ///
    /// - Parameters:
    ///   - maxP99: The maximum 99th percentile of the latency of bookings and of reads, in milliseconds; nil for no
    ///     limit.
    ///   - maxFailed: The maximum share of failed bookings and of failed reads; nil for no limit.
    /// - Throws: ``CommandError`` for the first requirement that is not met.
    package func require(maxP99: Double?, maxFailed: Double?) throws(CommandError) {
        guard self.isInOrder else {
            throw CommandError(.failed, "The books differ from the service's responses.")
        }
        guard self.tally.booked > 0 || self.plan.reads == 1 else {
            let cause = self.tally.onlyRefusal.map { " All were refused: \($0)." } ?? ""
            throw CommandError(.failed, "Nothing was booked.\(cause)")
        }
        let passed = self.passed(maxP99: maxP99, maxFailed: maxFailed)
        guard passed.isEmpty else { throw CommandError(.failed, passed.joined(separator: " ")) }
    }

    /// Returns a sentence for each threshold that was exceeded.
    private func passed(maxP99: Double?, maxFailed: Double?) -> [String] {
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

extension LoadReport {
    /// The report in aligned lines.
    package var text: String {
        let isOpen = self.plan.total != nil
        let sections = [
            [self.title],
            self.counts,
            ["  responses"] + Self.answers(self.tally.answers),
            ["  latency in ms\(isOpen ? ", from the scheduled time" : "")"]
                + Self.rows(LoadLatencies(self.tally.latency)),
            self.cancellations,
            self.reads,
            self.remarks,
            [self.closing],
        ]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var title: String {
        let pace =
            switch self.plan.pace {
            case .open(let rate):
                "open loop, \(Self.decimal(rate)) \(self.plan.reads > 0 ? "requests" : "bookings")/s on "
                    + "\(self.plan.connections) connections"
            case .closed: "closed loop, \(self.plan.connections) clients"
            }
        let ramp = self.plan.ramp > 0 ? " after a ramp of \(self.plan.ramp) s" : ""
        let reads = self.plan.reads > 0 ? "\(Self.decimal(self.plan.reads * 100)) % reads, " : ""
        return "\(self.url): \(pace), \(self.plan.duration) s\(ramp), \(self.plan.pattern.rawValue), \(reads)"
            + "users: \(Self.number(self.users)), classes: \(Self.number(self.classes)), seed \(self.plan.seed)"
    }

    private var counts: [String] {
        var lines = [
            Self.line("sent", Self.number(self.tally.sent)),
            Self.line("booked", Self.number(self.tally.booked)) + "  \(Self.decimal(self.bookedPerSecond))/s",
            Self.line("refused", Self.number(self.tally.refused)),
            Self.line("failed", Self.number(self.tally.failed)),
        ]
        if self.tally.unsent > 0 {
            lines.append(Self.line("of these never sent", Self.number(self.tally.unsent)))
        }
        return lines
    }

    private var cancellations: [String] {
        guard self.plan.cancelled > 0 else { return [] }
        return ["  cancellations"] + Self.answers(self.tally.cancellationAnswers)
            + Self.rows(LoadLatencies(self.tally.cancellationLatency))
    }

    private var reads: [String] {
        let reads = self.tally.reads
        guard self.plan.reads > 0 else { return [] }
        let unsent = reads.unsent > 0 ? [Self.line("  never sent", Self.number(reads.unsent))] : []
        return ["  reads"] + [Self.line("  failed", Self.number(reads.failed))] + unsent + Self.answers(reads.answers)
            + Self.rows(LoadLatencies(reads.latency))
    }

    private var remarks: [String] {
        let processor = Self.decimal(self.processorMicroseconds)
        let after = "after \(Self.decimal(self.tally.elapsed)) s, so the load ended"
        let end =
            self.tally.onlyRefusal.map { "  all bookings of every user and class were refused (\($0)) \(after)" }
            ?? "  every user had booked every class \(after)"
        return (self.tally.ranOut ? [end] : [])
            + ["  the generator used \(processor) µs of processor time per request"] + self.books
    }

    private var books: [String] {
        guard let findings = self.findings else {
            return ["  the books were not checked: set --database-url to check them"]
        }
        let summary = "  \(Self.number(findings.found)) bookings of this run in the books"
        guard findings.faultCount > 0 else { return ["\(summary), all equal to the responses; every invariant holds"] }
        return [summary, "  \(Self.number(findings.faultCount)) faults:"] + findings.faults.map { "    \($0)" }
    }

    private var closing: String {
        let books = self.findings == nil ? "books not checked" : self.isInOrder ? "books in order" : "BOOKS ARE WRONG"
        return "load: \(Self.number(self.tally.booked)) bookings, \(Self.number(self.tally.failed)) failed, \(books)"
    }

    private static func answers(_ answers: [String: Int]) -> [String] {
        answers.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .map { Self.line("  \($0.key)", Self.number($0.value)) }
    }

    private static func rows(_ latencies: LoadLatencies) -> [String] {
        latencies.rows.map { Self.line("  \($0.name)", String(format: "%.2f", $0.milliseconds)) }
    }

    private static func line(_ name: String, _ value: String) -> String {
        "  \(name.padded(to: 32))\(String(repeating: " ", count: max(12 - value.count, 1)))\(value)"
    }

    private static func number(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }

    private static func decimal(_ number: Double) -> String {
        number < 100 && number != number.rounded()
            ? String(format: "%.1f", number) : Self.number(Int(number.rounded()))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - self.count, 1))
    }
}

extension LoadReport {
    /// Returns the report as JSON.
    package func json() throws -> Data {
        Data(try CommandJSON.text(Figures(self)).utf8) + Data("\n".utf8)
    }

    /// The members of the JSON report.
    private struct Figures: Encodable {
        let url: String
        let run: String
        /// `open` or `closed`.
        let loop: String
        /// The scheduled requests per second, bookings and reads; only in an open loop.
        let rate: Double?
        let connections: Int
        let durationSeconds: Int
        /// The seconds of the ramp, which are excluded from rates and latencies.
        let rampSeconds: Int
        /// The seconds from the first request to the last response.
        let elapsedSeconds: Double
        let pattern: LoadPattern
        let users: Int
        let classes: Int
        let seed: UInt64
        let sent: Int
        let booked: Int
        let refused: Int
        let failed: Int
        let unsent: Int
        let ranOut: Bool
        let bookedPerSecond: Double
        let statuses: [String: Int]
        let answers: [String: Int]
        let latencyMs: LoadLatencies
        let cancellations: [String: Int]
        let cancellationLatencyMs: LoadLatencies?
        /// The results of the reads; nil if the plan contains no reads.
        let reads: Reads?
        let generatorCpuUsPerRequest: Double
        /// `in-order`, `off` or `not-checked`.
        let books: String
        let faults: [String]

        init(_ report: LoadReport) {
            let tally = report.tally
            self.url = report.url
            self.run = report.plan.run
            self.loop = report.plan.total == nil ? "closed" : "open"
            if case .open(let rate) = report.plan.pace { self.rate = rate } else { self.rate = nil }
            self.connections = report.plan.connections
            self.durationSeconds = report.plan.duration
            self.rampSeconds = report.plan.ramp
            self.elapsedSeconds = tally.elapsed
            self.pattern = report.plan.pattern
            self.users = report.users
            self.classes = report.classes
            self.seed = report.plan.seed
            self.sent = tally.sent
            self.booked = tally.booked
            self.refused = tally.refused
            self.failed = tally.failed
            self.unsent = tally.unsent
            self.ranOut = tally.ranOut
            self.bookedPerSecond = report.bookedPerSecond
            self.statuses = Dictionary(uniqueKeysWithValues: tally.statuses.map { ("\($0.key)", $0.value) })
            self.answers = tally.answers
            self.latencyMs = LoadLatencies(tally.latency)
            self.cancellations = tally.cancellationAnswers
            self.cancellationLatencyMs = report.plan.cancelled > 0 ? LoadLatencies(tally.cancellationLatency) : nil
            self.reads = report.plan.reads > 0 ? Reads(tally.reads) : nil
            self.generatorCpuUsPerRequest = report.processorMicroseconds
            self.books = report.stateOfBooks
            self.faults = report.findings?.faults ?? []
        }
    }

    /// The results of the requests that only read.
    private struct Reads: Encodable {
        let sent: Int
        let answered: Int
        let refused: Int
        let failed: Int
        let unsent: Int
        let answers: [String: Int]
        let latencyMs: LoadLatencies

        init(_ reads: LoadReadStatistics) {
            self.sent = reads.sent
            self.answered = reads.answered
            self.refused = reads.refused
            self.failed = reads.failed
            self.unsent = reads.unsent
            self.answers = reads.answers
            self.latencyMs = LoadLatencies(reads.latency)
        }
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
