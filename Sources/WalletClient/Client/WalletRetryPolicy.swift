/// The number of attempts of a request and the pauses between them.
///
/// Most requests can be sent twice without harm: reads, proofs of purchase (granted once), bookings (one for each key),
/// cancellations, signing in. The client therefore retries after 429, 503 and lost connections. It sends only the
/// deletion of the account once, because the response to a second attempt would not show whether the first one
/// succeeded.
public struct WalletRetryPolicy: Sendable, Equatable {
    /// The maximum number of attempts, 1 or more.
    public var maximumAttempts: Int
    /// The pause before the second attempt if the wallet requests none; it doubles before each further attempt.
    public var firstDelay: Duration
    /// The longest pause that the client waits; if the wallet requests a longer one, the client throws
    /// ``WalletProblem``.
    public var longestDelay: Duration

    /// Creates a policy.
    /// - Parameters:
    ///   - maximumAttempts: The maximum number of attempts.
    ///   - firstDelay: The pause before the second attempt.
    ///   - longestDelay: The longest pause that the client waits.
    public init(
        maximumAttempts: Int = 4,
        firstDelay: Duration = .milliseconds(300),
        longestDelay: Duration = .seconds(10)
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// The longest `Retry-After` that a closed stream respects, in seconds; a faulty proxy could send years.
    private static let longestStreamPause = 300

    /// Returns the pause before a stream reconnects after consecutive failed connections.
    func pause(_ failures: Int, retryAfter: Int?) -> Duration {
        // Random jitter keeps clients from reconnecting all at once after a server stops.
        let own = min(self.firstDelay * (1 << min(failures, 10)), self.longestDelay) * Double.random(in: 0.5...1.5)
        return max(own, .seconds(min(max(retryAfter ?? 0, 0), Self.longestStreamPause)))
    }

    /// Returns the pause before the next attempt; nil if the client must not retry.
    func delay(after attempt: Int, retryAfter: Int?) -> Duration? {
        guard attempt < self.maximumAttempts else { return nil }
        let own = self.firstDelay * (1 << min(attempt - 1, 10)) * Double.random(in: 0.75...1.25)
        guard let retryAfter else { return min(own, self.longestDelay) }
        // Random jitter on top of the requested pause keeps clients from retrying all at once.
        let asked = Duration.seconds(max(retryAfter, 0))
        return asked <= self.longestDelay ? asked + self.firstDelay * Double.random(in: 0...1) : nil
    }
}
