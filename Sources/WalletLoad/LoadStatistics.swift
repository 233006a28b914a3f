import Foundation
import Histogram
import NIOCore

/// The results of a load.
struct LoadStatistics: Sendable {
    /// The known state of a requested booking.
    enum Fate: UInt8, Sendable {
        /// There was no response, or a 5xx response: the booking may exist.
        case unknown
        /// The service confirmed the booking.
        case booked
        /// The service refused the booking: it must not exist.
        case refused
        /// The service confirmed the booking and its cancellation.
        case cancelled
        /// The service confirmed the booking, but the result of its cancellation is unknown.
        case perhapsCancelled
    }

    /// The state of every sent booking, by number.
    private(set) var fates: [Fate] = []
    /// The ids of the confirmed bookings, by number.
    private(set) var bookingIDs: [UUID?] = []
    /// The number of responses of each kind, such as `201` and `402 insufficient-credits`.
    private(set) var answers: [String: Int] = [:]
    private(set) var statuses: [Int: Int] = [:]
    private(set) var cancellationAnswers: [String: Int] = [:]
    private(set) var latency = Self.histogram()
    private(set) var cancellationLatency = Self.histogram()
    private(set) var reads = LoadReadStatistics()
    /// The number of bookings that were due but could not be sent before the end.
    private(set) var unsent = 0
    /// The number of bookings that were confirmed after the load reached its full size.
    private(set) var bookedAtFullLoad = 0
    /// The time at which the load reaches its full size; requests scheduled earlier are excluded from percentiles.
    var fullLoad = NIODeadline.uptimeNanoseconds(0)
    /// A Boolean value that indicates whether every user had booked every class before the end.
    var ranOut = false
    /// The seconds from the start to the last response, at least the planned duration.
    var elapsed = 0.0
    /// The processor time of this process during the load, in seconds.
    var processorTime = 0.0

    var sent: Int { self.fates.count }
    var booked: Int { self.statuses[201, default: 0] + self.statuses[200, default: 0] }
    var refused: Int { self.statuses.filter { (400..<500).contains($0.key) }.values.reduce(0, +) }
    /// The only response if every booking was refused in the same way, such as `401 unauthenticated`; otherwise nil.
    var onlyRefusal: String? {
        guard self.sent > 0, self.refused == self.sent, self.answers.count == 1 else { return nil }
        return self.answers.keys.first
    }

    /// The number of bookings, sent or unsent, that were neither confirmed nor refused.
    var failed: Int { self.sent - self.booked - self.refused + self.unsent }

    /// Returns a histogram of microseconds up to an hour, with three significant digits.
    fileprivate static func histogram() -> Histogram<UInt64> {
        Histogram(highestTrackableValue: 3_600_000_000)
    }

    mutating func noteSent(_ step: LoadStep) {
        switch step.kind {
        case .booking:
            self.fates.append(.unknown)
            self.bookingIDs.append(nil)
        case .cancellation: self.fates[step.number] = .perhapsCancelled
        case .read: self.reads.noteSent()
        }
    }

    mutating func note(_ answer: LoadAnswer, to step: LoadStep, at now: NIODeadline) {
        self.noteLatency(of: step, at: now)
        let name = answer.slug.map { "\(answer.status) \($0)" } ?? Self.names[answer.status] ?? "\(answer.status)"
        switch step.kind {
        case .booking: self.noteBooking(answer, name, step)
        case .cancellation: self.noteCancellation(answer, name, step.number)
        case .read(let read): self.reads.note(read, answer, name)
        }
    }

    private mutating func noteBooking(_ answer: LoadAnswer, _ name: String, _ step: LoadStep) {
        if answer.isSuccess, answer.bookingID == nil {
            self.answers["\(name) without a booking", default: 0] += 1
            return
        }
        self.answers[name, default: 0] += 1
        self.statuses[answer.status, default: 0] += 1
        if answer.isSuccess {
            self.fates[step.number] = .booked
            self.bookingIDs[step.number] = answer.bookingID
            if step.intended >= self.fullLoad { self.bookedAtFullLoad += 1 }
        } else if (400..<500).contains(answer.status) {
            self.fates[step.number] = .refused
        }
    }

    private mutating func noteCancellation(_ answer: LoadAnswer, _ name: String, _ number: Int) {
        self.cancellationAnswers[name, default: 0] += 1
        if answer.isSuccess {
            self.fates[number] = .cancelled
        } else if (400..<500).contains(answer.status) {
            self.fates[number] = .booked
        }
    }

    /// Records a missing response; the time until then counts as the latency.
    mutating func noteLoss(of step: LoadStep, _ reason: String, at now: NIODeadline) {
        self.noteLatency(of: step, at: now)
        switch step.kind {
        case .booking: self.answers[reason, default: 0] += 1
        case .cancellation: self.cancellationAnswers[reason, default: 0] += 1
        case .read(let read): self.reads.noteLoss(of: read, reason)
        }
    }

    /// Records a request that was never sent; omitting it would make the service look faster.
    mutating func noteUnsent(isRead: Bool, intended: NIODeadline, at now: NIODeadline) {
        if isRead { self.reads.noteUnsent() } else { self.unsent += 1 }
        guard intended >= self.fullLoad else { return }
        let microseconds = Self.microseconds(from: intended, to: now)
        if isRead { self.reads.noteLatency(microseconds) } else { self.latency.record(microseconds) }
    }

    private mutating func noteLatency(of step: LoadStep, at now: NIODeadline) {
        guard step.intended >= self.fullLoad else { return }
        let microseconds = Self.microseconds(from: step.intended, to: now)
        switch step.kind {
        case .booking: self.latency.record(microseconds)
        case .cancellation: self.cancellationLatency.record(microseconds)
        case .read: self.reads.noteLatency(microseconds)
        }
    }

    private static func microseconds(from start: NIODeadline, to end: NIODeadline) -> UInt64 {
        UInt64(min(max((end - start).nanoseconds / 1_000, 0), 3_600_000_000))
    }

    /// Common statuses use constant texts, so that they need no allocation for each response.
    private static let names = [200: "200", 201: "201"]
}

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
