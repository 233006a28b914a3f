import NIOCore

/// How a load is to be made.
struct LoadPlan: Sendable {
    /// When the next booking is sent.
    enum Pace: Sendable {
        /// So many a second, whatever the service does.
        case open(rate: Double)
        /// Each client right after its last answer.
        case closed
    }

    let target: LoadTarget
    let pace: Pace
    /// Whole seconds in which bookings are to be sent.
    let duration: Int
    let connections: Int
    /// How long an answer may take, and how long overdue bookings are still sent after the end; in seconds.
    let timeout: Int
    let pattern: LoadPattern
    let zipfExponent: Double
    /// The share of bookings that are cancelled right after.
    let cancelled: Double
    let seed: UInt64
    /// Names the run; stands in every key.
    let run: String

    /// What stands before a booking's number in its key.
    var keyPrefix: String { "load-\(self.run)-" }

    /// How many bookings there are to be; nil when that is for the service to decide.
    var total: Int? {
        guard case .open(let rate) = self.pace else { return nil }
        return max(Int((rate * Double(self.duration)).rounded()), 1)
    }

    /// When a booking is to be sent.
    ///
    /// - Parameters:
    ///   - number: The booking's, from 0.
    ///   - start: When the first was to be sent.
    ///   - now: The present.
    /// - Returns: The instant, which may have passed; nil when nothing more is to be sent.
    func instant(of number: Int, from start: NIODeadline, now: NIODeadline) -> NIODeadline? {
        switch self.pace {
        case .closed:
            return now < start + .seconds(Int64(self.duration)) ? now : nil
        case .open(let rate):
            guard number < self.total ?? 0 else { return nil }
            return start + .nanoseconds(Int64(Double(number) / rate * 1_000_000_000))
        }
    }
}
