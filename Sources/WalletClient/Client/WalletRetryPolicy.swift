/// How persistently a client asks again.
///
/// What the client sends may be sent twice without harm: reads, proofs of purchase (granted once), bookings (one a key),
/// cancellations, signing in. So 429, 503 and lost connections are tried again. Only the deletion of the account is sent
/// once: the answer of a second attempt would not say what the first one did.
public struct WalletRetryPolicy: Sendable, Equatable {
    /// How often a request is sent at most, 1 or more.
    public var maximumAttempts: Int
    /// The pause before the second attempt where the wallet names none; doubled before each further one.
    public var firstDelay: Duration
    /// The longest pause that the client waits by itself; a longer one is left to the caller as ``WalletProblem``.
    public var longestDelay: Duration

    /// Creates a policy.
    /// - Parameters:
    ///   - maximumAttempts: how often a request is sent at most.
    ///   - firstDelay: the pause before the second attempt.
    ///   - longestDelay: the longest pause that the client waits by itself.
    public init(
        maximumAttempts: Int = 4,
        firstDelay: Duration = .milliseconds(300),
        longestDelay: Duration = .seconds(10)
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// The longest pause, in seconds, for which a stream stays closed: a faulty proxy must not end it for years.
    private static let longestStreamPause = 300

    /// The pause before a stream is opened again, after so many connections that brought no event.
    func pause(_ failures: Int, retryAfter: Int?) -> Duration {
        // Jitter, so that the clients of a server that stopped do not come back all at once.
        let own = min(self.firstDelay * (1 << min(failures, 10)), self.longestDelay) * Double.random(in: 0.5...1.5)
        return max(own, .seconds(min(max(retryAfter ?? 0, 0), Self.longestStreamPause)))
    }

    /// The pause after an attempt that may be repeated, nil where there is to be none.
    func delay(after attempt: Int, retryAfter: Int?) -> Duration? {
        guard attempt < self.maximumAttempts else { return nil }
        let own = self.firstDelay * (1 << min(attempt - 1, 10)) * Double.random(in: 0.75...1.25)
        guard let retryAfter else { return min(own, self.longestDelay) }
        // Jitter on top of what the wallet asks for, so that its clients do not come back all at once.
        let asked = Duration.seconds(max(retryAfter, 0))
        return asked <= self.longestDelay ? asked + self.firstDelay * Double.random(in: 0...1) : nil
    }
}
