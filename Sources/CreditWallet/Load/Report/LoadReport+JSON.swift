import Foundation

extension LoadReport {
    /// Returns the report as JSON.
    func json() throws -> Data {
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
