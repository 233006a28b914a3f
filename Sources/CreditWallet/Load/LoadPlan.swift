import NIOCore

/// How a load is to be made.
struct LoadPlan: Sendable {
    /// When the next booking is sent.
    enum Pace: Sendable {
        /// So many requests a second, whatever the service does.
        case open(rate: Double)
        /// Each client right after its last answer.
        case closed
    }

    let target: LoadTarget
    let pace: Pace
    /// Whole seconds in which the whole load is to be sent.
    let duration: Int
    /// Seconds before those, in which the load grows evenly; they count in no percentile and no rate.
    let ramp: Int
    let connections: Int
    /// How long an answer may take, and how long overdue bookings are still sent after the end; in seconds.
    let timeout: Int
    let pattern: LoadPattern
    let zipfExponent: Double
    /// The share of bookings that are cancelled right after.
    let cancelled: Double
    /// The share of requests that only read.
    let reads: Double
    let seed: UInt64
    /// Names the run; stands in every key.
    let run: String

    /// What stands before a booking's number in its key.
    var keyPrefix: String { "load-\(self.run)-" }

    /// How many requests there are to be; nil when that is for the service to decide.
    var total: Int? {
        guard case .open(let rate) = self.pace else { return nil }
        // While the load grows, half of the rate is sent on average.
        return max(Int((rate * (Double(self.duration) + Double(self.ramp) / 2)).rounded()), 1)
    }

    /// When a request is to be sent.
    ///
    /// - Parameters:
    ///   - number: The request's, from 0.
    ///   - start: When the first was to be sent.
    ///   - now: The present.
    /// - Returns: The instant, which may have passed; nil when nothing more is to be sent.
    func instant(of number: Int, from start: NIODeadline, now: NIODeadline) -> NIODeadline? {
        switch self.pace {
        case .closed:
            return now < start + .seconds(Int64(self.ramp + self.duration)) ? now : nil
        case .open(let rate):
            guard number < self.total ?? 0 else { return nil }
            return start + Self.time(self.seconds(before: Double(number), at: rate))
        }
    }

    /// When the next client of a closed loop joins the ones that send; nil once all of them do, and in an open loop.
    ///
    /// - Parameters:
    ///   - sending: How many clients wait for an answer.
    ///   - start: When the first request was to be sent.
    /// - Returns: The instant, which may have passed.
    func joining(after sending: Int, from start: NIODeadline) -> NIODeadline? {
        guard case .closed = self.pace, self.ramp > 0, sending < self.connections else { return nil }
        return start + Self.time(Double(self.ramp) * Double(sending) / Double(self.connections))
    }

    /// Seconds from the start to a request of an open loop: the rate grows in proportion to the time, and then stays.
    private func seconds(before number: Double, at rate: Double) -> Double {
        let ramp = Double(self.ramp)
        let grown = rate * ramp / 2
        return number < grown ? (2 * ramp * number / rate).squareRoot() : ramp + (number - grown) / rate
    }

    private static func time(_ seconds: Double) -> TimeAmount {
        .nanoseconds(Int64(seconds * 1_000_000_000))
    }
}
