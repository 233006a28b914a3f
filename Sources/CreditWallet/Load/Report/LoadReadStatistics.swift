import Histogram

/// The results of the requests that only read.
struct LoadReadStatistics: Sendable {
    private(set) var sent = 0
    /// The number of successful reads.
    private(set) var answered = 0
    private(set) var refused = 0
    /// The number of reads that were due but could not be sent before the end.
    private(set) var unsent = 0
    /// The number of responses of each kind, such as `balance 200`.
    private(set) var answers: [String: Int] = [:]
    private(set) var latency = LoadStatistics.histogram()

    /// The number of reads, sent or unsent, that were neither successful nor refused.
    var failed: Int { self.sent - self.answered - self.refused + self.unsent }

    mutating func noteSent() {
        self.sent += 1
    }

    mutating func note(_ read: LoadRead, _ answer: LoadAnswer, _ name: String) {
        self.answers["\(read.rawValue) \(name)", default: 0] += 1
        if answer.isSuccess { self.answered += 1 }
        if (400..<500).contains(answer.status) { self.refused += 1 }
    }

    mutating func noteLoss(of read: LoadRead, _ reason: String) {
        self.answers["\(read.rawValue) \(reason)", default: 0] += 1
    }

    mutating func noteLatency(_ microseconds: UInt64) {
        self.latency.record(microseconds)
    }

    mutating func noteUnsent() {
        self.unsent += 1
    }
}
