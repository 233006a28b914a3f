public import Stores

/// Configures whose tokens are accepted and how their keys are fetched.
public struct AuthenticationConfiguration: Sendable {
    /// The accepted issuers.
    public var issuers: [IssuerConfiguration]
    /// By how many seconds the clocks of issuer and service may differ.
    public var leeway: Double
    /// The longest life of an operator's token in seconds, from its `iat` to its `exp`.
    public var operatorTokenLifetime: Double
    /// How key sets are fetched.
    public var keySets: KeySetConfiguration
    /// How many verified tokens are remembered; 0 for none.
    public var cachedTokens: Int

    /// Configures authentication.
    ///
    /// - Parameters:
    ///   - issuers: The accepted issuers.
    ///   - leeway: By how many seconds clocks may differ.
    ///   - operatorTokenLifetime: The longest life of an operator's token in seconds.
    ///   - keySets: How key sets are fetched.
    ///   - cachedTokens: How many verified tokens are remembered.
    public init(
        issuers: [IssuerConfiguration],
        leeway: Double = 60,
        operatorTokenLifetime: Double = 3600,
        keySets: KeySetConfiguration = KeySetConfiguration(),
        cachedTokens: Int = 100_000
    ) {
        self.issuers = issuers
        self.leeway = leeway
        self.operatorTokenLifetime = operatorTokenLifetime
        self.keySets = keySets
        self.cachedTokens = cachedTokens
    }
}

/// Configures how a published key set (JWKS) is fetched and kept.
public struct KeySetConfiguration: Sendable {
    /// How long one fetch may take.
    public var timeout: Duration
    /// The largest key set that is read, in bytes.
    public var maximumBytes: Int
    /// How many seconds lie between two fetches at least, however many unknown keys are named.
    public var minimumInterval: Double
    /// After how many seconds a key set is fetched again, so that withdrawn keys go.
    public var maximumAge: Double
    /// Whether `http:` is accepted for addresses on this machine; for development and tests.
    public var allowsPlainLoopback: Bool
    /// Whether a key set may be in the own network.
    public var reach: EgressPolicy

    /// Configures the fetching of key sets.
    ///
    /// - Parameters:
    ///   - timeout: How long one fetch may take.
    ///   - maximumBytes: The largest key set that is read.
    ///   - minimumInterval: Seconds between two fetches at least.
    ///   - maximumAge: Seconds after which a key set is fetched again.
    ///   - allowsPlainLoopback: Whether `http:` is accepted on this machine.
    ///   - reach: Whether a key set may be in the own network.
    public init(
        timeout: Duration = .seconds(5),
        maximumBytes: Int = 256 * 1024,
        minimumInterval: Double = 30,
        maximumAge: Double = 600,
        allowsPlainLoopback: Bool = false,
        reach: EgressPolicy = .publicOnly
    ) {
        self.timeout = timeout
        self.maximumBytes = maximumBytes
        self.minimumInterval = minimumInterval
        self.maximumAge = maximumAge
        self.allowsPlainLoopback = allowsPlainLoopback
        self.reach = reach
    }
}
