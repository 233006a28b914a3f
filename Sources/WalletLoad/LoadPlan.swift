import NIOCore

/// The plan of a load.
package struct LoadPlan: Sendable {
    /// The rule for the time of the next request.
    package enum Pace: Sendable {
        /// A fixed rate of requests per second, independent of the service's responses.
        case open(rate: Double)
        /// Each client sends its next request right after the last response.
        case closed
    }

    let target: LoadTarget
    let pace: Pace
    /// The duration of the full load in whole seconds.
    let duration: Int
    /// The seconds before the full load in which the rate grows linearly; they are excluded from percentiles and rates.
    let ramp: Int
    let connections: Int
    /// The maximum time for a response, and the time after the end in which overdue bookings are still sent, in
    /// seconds.
    let timeout: Int
    let pattern: LoadPattern
    let zipfExponent: Double
    /// The share of bookings that are cancelled immediately.
    let cancelled: Double
    /// The share of requests that only read.
    let reads: Double
    let seed: UInt64
    /// The name of the run, which is part of every key.
    let run: String

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - target: The service under load.
    ///   - pace: The rule for the time of the next request.
    ///   - duration: The duration of the full load in whole seconds.
    ///   - ramp: The seconds before the full load in which the rate grows linearly.
    ///   - connections: The number of connections.
    ///   - timeout: The maximum time for a response, in seconds.
    ///   - pattern: The distribution of bookings over users and classes.
    ///   - zipfExponent: The exponent of Zipf's distribution.
    ///   - cancelled: The share of bookings that are cancelled immediately.
    ///   - reads: The share of requests that only read.
    ///   - seed: The seed of the selection.
    ///   - run: The name of the run, which is part of every key.
    package init(
        target: LoadTarget,
        pace: Pace,
        duration: Int,
        ramp: Int,
        connections: Int,
        timeout: Int,
        pattern: LoadPattern,
        zipfExponent: Double,
        cancelled: Double,
        reads: Double,
        seed: UInt64,
        run: String
    ) {
        self.target = target
        self.pace = pace
        self.duration = duration
        self.ramp = ramp
        self.connections = connections
        self.timeout = timeout
        self.pattern = pattern
        self.zipfExponent = zipfExponent
        self.cancelled = cancelled
        self.reads = reads
        self.seed = seed
        self.run = run
    }

    /// The prefix of every booking's key.
    var keyPrefix: String { "load-\(self.run)-" }

    /// The total number of requests; nil in a closed loop, where it depends on the service.
    var total: Int? {
        guard case .open(let rate) = self.pace else { return nil }
        // During the ramp, the average rate is half of the full rate.
        return max(Int((rate * (Double(self.duration) + Double(self.ramp) / 2)).rounded()), 1)
    }

    /// Returns the scheduled time of a request.
    ///
    /// - Parameters:
    ///   - number: The request's number, from 0.
    ///   - start: The scheduled time of the first request.
    ///   - now: The current time.
    /// - Returns: The scheduled time, which may be in the past; nil if no more requests are due.
    func instant(of number: Int, from start: NIODeadline, now: NIODeadline) -> NIODeadline? {
        switch self.pace {
        case .closed:
            return now < start + .seconds(Int64(self.ramp + self.duration)) ? now : nil
        case .open(let rate):
            guard number < self.total ?? 0 else { return nil }
            return start + Self.time(self.seconds(before: Double(number), at: rate))
        }
    }

    /// Returns the time at which the next client of a closed loop starts to send; nil in an open loop and once all
    /// clients send.
    ///
    /// - Parameters:
    ///   - sending: The number of clients that wait for a response.
    ///   - start: The scheduled time of the first request.
    /// - Returns: The time, which may be in the past.
    func joining(after sending: Int, from start: NIODeadline) -> NIODeadline? {
        guard case .closed = self.pace, self.ramp > 0, sending < self.connections else { return nil }
        return start + Self.time(Double(self.ramp) * Double(sending) / Double(self.connections))
    }

    /// Returns the seconds from the start to a request of an open loop; the rate grows linearly during the ramp and is
    /// then constant.
    private func seconds(before number: Double, at rate: Double) -> Double {
        let ramp = Double(self.ramp)
        let grown = rate * ramp / 2
        return number < grown ? (2 * ramp * number / rate).squareRoot() : ramp + (number - grown) / rate
    }

    private static func time(_ seconds: Double) -> TimeAmount {
        .nanoseconds(Int64(seconds * 1_000_000_000))
    }
}

/// The distribution of bookings over users and classes.
package enum LoadPattern: String, Sendable, CaseIterable, Codable {
    /// All users book equally often.
    case uniform
    /// A few users book often, and most users book rarely.
    case zipf
    /// One user books many classes.
    case oneWallet = "one-wallet"
    /// All users book the same class.
    case oneClass = "one-class"
}
