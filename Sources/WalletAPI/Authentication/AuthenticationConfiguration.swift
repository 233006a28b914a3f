public import Stores

/// The settings for token issuers and for fetching their keys.
public struct AuthenticationConfiguration: Sendable {
    /// The accepted issuers.
    public var issuers: [IssuerConfiguration]
    /// The number of seconds by which the clocks of issuer and service may differ.
    public var leeway: Double
    /// The longest accepted lifetime of an operator's token in seconds, from its `iat` to its `exp`.
    public var operatorTokenLifetime: Double
    /// The settings for fetching key sets.
    public var keySets: KeySetConfiguration
    /// The maximum number of verified tokens in the cache; 0 disables the cache.
    public var cachedTokens: Int

    /// Creates settings for authentication.
    ///
    /// - Parameters:
    ///   - issuers: The accepted issuers.
    ///   - leeway: The number of seconds by which clocks may differ.
    ///   - operatorTokenLifetime: The longest accepted lifetime of an operator's token in seconds.
    ///   - keySets: The settings for fetching key sets.
    ///   - cachedTokens: The maximum number of verified tokens in the cache; 0 disables the cache.
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

/// The settings for fetching and caching a published key set (JWKS).
public struct KeySetConfiguration: Sendable {
    /// The maximum duration of one fetch.
    public var timeout: Duration
    /// The maximum size of a key set in bytes.
    public var maximumBytes: Int
    /// The minimum number of seconds between two fetches, however many unknown keys the tokens name.
    public var minimumInterval: Double
    /// The age in seconds after which a key set is fetched again, so that withdrawn keys disappear.
    public var maximumAge: Double
    /// A Boolean value that indicates whether `http:` is accepted for loopback addresses, for development and tests.
    public var allowsPlainLoopback: Bool
    /// The policy that decides whether a key set may come from a private network.
    public var reach: EgressPolicy

    /// Creates settings for fetching key sets.
    ///
    /// - Parameters:
    ///   - timeout: The maximum duration of one fetch.
    ///   - maximumBytes: The maximum size of a key set in bytes.
    ///   - minimumInterval: The minimum number of seconds between two fetches.
    ///   - maximumAge: The age in seconds after which a key set is fetched again.
    ///   - allowsPlainLoopback: A Boolean value that indicates whether `http:` is accepted for loopback addresses.
    ///   - reach: The policy that decides whether a key set may come from a private network.
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
