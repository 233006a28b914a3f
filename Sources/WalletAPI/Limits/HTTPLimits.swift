public import Stores

/// Limits what clients may ask of the HTTP server, anyone who they are.
public struct HTTPLimits: Sendable {
    /// How many connections are open at once, 0 for any number; further ones wait to be taken.
    public var connections: Int
    /// How many connections may be open from one address that is no trusted proxy's; 0 for any number.
    public var connectionsPerAddress: Int
    /// How long a connection may wait with its first byte.
    public var firstByteTimeout: Duration
    /// How long a request's head may take to arrive from its first byte on.
    public var headTimeout: Duration
    /// How long a request's body may take to arrive after its head.
    public var bodyTimeout: Duration
    /// How large a request's line and header fields may be, in bytes, together and each.
    public var headerBytes: Int
    /// How many header fields a request may have.
    public var headerCount: Int
    /// How many requests one user may make; nil for any number.
    public var requestsPerUser: RateLimit?
    /// How many requests may come from one address; nil for any number.
    public var requestsPerAddress: RateLimit?
    /// Proxies that are believed about whom they forward for.
    public var trustedProxies: [InternetNetwork]

    /// Limits clients.
    ///
    /// By default addresses and users have no limit: what is too much depends on who stands behind one.
    ///
    /// - Parameters:
    ///   - connections: How many connections are open at once; 0 for any number.
    ///   - connectionsPerAddress: How many may be open from one address; 0 for any number.
    ///   - firstByteTimeout: How long a connection may wait with its first byte.
    ///   - headTimeout: How long a request's head may take to arrive.
    ///   - bodyTimeout: How long its body may take after that.
    ///   - headerBytes: How large the line and header fields may be.
    ///   - headerCount: How many header fields there may be.
    ///   - requestsPerUser: How many requests one user may make.
    ///   - requestsPerAddress: How many requests may come from one address.
    ///   - trustedProxies: Proxies that are believed about whom they forward for.
    public init(
        connections: Int = 16_384,
        connectionsPerAddress: Int = 0,
        firstByteTimeout: Duration = .seconds(10),
        headTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(30),
        headerBytes: Int = 32 * 1024,
        headerCount: Int = 100,
        requestsPerUser: RateLimit? = nil,
        requestsPerAddress: RateLimit? = nil,
        trustedProxies: [InternetNetwork] = []
    ) {
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.firstByteTimeout = firstByteTimeout
        self.headTimeout = headTimeout
        self.bodyTimeout = bodyTimeout
        self.headerBytes = headerBytes
        self.headerCount = headerCount
        self.requestsPerUser = requestsPerUser
        self.requestsPerAddress = requestsPerAddress
        self.trustedProxies = trustedProxies
    }
}
