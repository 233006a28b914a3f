public import Stores

/// The limits of the HTTP server, which apply to every client.
public struct HTTPLimits: Sendable {
    /// The maximum number of open connections; 0 means no limit.
    ///
    /// Further connections wait until the server accepts them.
    public var connections: Int
    /// The maximum number of open connections from one address, trusted proxies excepted; 0 means no limit.
    public var connectionsPerAddress: Int
    /// The maximum time from the opening of a connection to its first byte.
    public var firstByteTimeout: Duration
    /// The maximum time from the first byte of a request to the end of its head.
    public var headTimeout: Duration
    /// The maximum time from the end of a request's head to the end of its body.
    public var bodyTimeout: Duration
    /// The maximum size in bytes of a request's line and header fields, together and each.
    public var headerBytes: Int
    /// The maximum number of header fields of a request.
    public var headerCount: Int
    /// The limit on requests of one user; nil means no limit.
    public var requestsPerUser: RateLimit?
    /// The limit on requests from one address; nil means no limit.
    public var requestsPerAddress: RateLimit?
    /// The proxies whose forwarding headers are trusted to name the client's address.
    public var trustedProxies: [InternetNetwork]

    /// Creates limits.
    ///
    /// By default there are no limits for addresses and users: a sensible limit depends on how many people share an
    /// address.
    ///
    /// - Parameters:
    ///   - connections: The maximum number of open connections; 0 means no limit.
    ///   - connectionsPerAddress: The maximum number of open connections from one address; 0 means no limit.
    ///   - firstByteTimeout: The maximum time from the opening of a connection to its first byte.
    ///   - headTimeout: The maximum time for a request's head to arrive.
    ///   - bodyTimeout: The maximum time for a request's body to arrive after its head.
    ///   - headerBytes: The maximum size of the line and header fields in bytes.
    ///   - headerCount: The maximum number of header fields.
    ///   - requestsPerUser: The limit on requests of one user; nil means no limit.
    ///   - requestsPerAddress: The limit on requests from one address; nil means no limit.
    ///   - trustedProxies: The proxies whose forwarding headers are trusted to name the client's address.
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
