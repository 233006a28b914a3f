import Foundation
import Histogram
import NIOCore

/// What came of a load.
struct LoadStatistics: Sendable {
    /// What is known of a booking that was asked for.
    enum Fate: UInt8, Sendable {
        /// No answer, or one that does not say (5xx): it may have been made.
        case unknown
        /// A booking was answered.
        case booked
        /// It was refused: there must be none.
        case refused
        /// It was booked, and its cancellation was answered.
        case cancelled
        /// It was booked, and it is not known whether it was cancelled.
        case perhapsCancelled
    }

    /// Of every booking that was sent, by number.
    private(set) var fates: [Fate] = []
    /// The id of each that was booked, by number.
    private(set) var bookingIDs: [UUID?] = []
    /// How often each answer came, such as `201` and `402 insufficient-credits`.
    private(set) var answers: [String: Int] = [:]
    private(set) var statuses: [Int: Int] = [:]
    private(set) var cancellationAnswers: [String: Int] = [:]
    private(set) var latency = Self.histogram()
    private(set) var cancellationLatency = Self.histogram()
    private(set) var reads = LoadReadStatistics()
    /// Bookings that were due, and could not be sent before the end.
    private(set) var unsent = 0
    /// How many of the bookings were made after the load had grown to its full size.
    private(set) var bookedAtFullLoad = 0
    /// When the load has grown to its full size; what was to be sent before counts in no percentile.
    var fullLoad = NIODeadline.uptimeNanoseconds(0)
    /// Whether everybody had booked everything before the end.
    var ranOut = false
    /// Seconds from the first instant to the last answer, the planned duration at least.
    var elapsed = 0.0
    /// What this process used meanwhile, in seconds of a processor.
    var processorTime = 0.0

    var sent: Int { self.fates.count }
    var booked: Int { self.statuses[201, default: 0] + self.statuses[200, default: 0] }
    var refused: Int { self.statuses.filter { (400..<500).contains($0.key) }.values.reduce(0, +) }
    /// The one answer with which every booking was refused, such as `401 unauthenticated`; nil where they differ.
    var onlyRefusal: String? {
        guard self.sent > 0, self.refused == self.sent, self.answers.count == 1 else { return nil }
        return self.answers.keys.first
    }

    /// What was neither booked nor refused, sent or not.
    var failed: Int { self.sent - self.booked - self.refused + self.unsent }

    /// Microseconds up to an hour, with three digits.
    static func histogram() -> Histogram<UInt64> {
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

    /// Notes that no answer came; the time spent waiting for it counts as its latency.
    mutating func noteLoss(of step: LoadStep, _ reason: String, at now: NIODeadline) {
        self.noteLatency(of: step, at: now)
        switch step.kind {
        case .booking: self.answers[reason, default: 0] += 1
        case .cancellation: self.cancellationAnswers[reason, default: 0] += 1
        case .read(let read): self.reads.noteLoss(of: read, reason)
        }
    }

    /// Notes that a request was never sent; to leave it out would flatter the service.
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

    /// The usual ones need no text made for each answer.
    private static let names = [200: "200", 201: "201"]
}
