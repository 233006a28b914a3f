import HTTPTypes
import Hummingbird
import NIOCore
public import Stores

/// The limits of the HTTP server, which apply to every client.
///
/// By default there are no limits for addresses and users: a sensible limit depends on how many people share an address.
public struct HTTPLimits: Sendable {
    /// The maximum number of open connections; 0 means no limit.
    ///
    /// Further connections wait until the server accepts them.
    public var connections = 16_384
    /// The maximum number of open connections from one address, trusted proxies excepted; 0 means no limit.
    public var connectionsPerAddress = 0
    /// The maximum time from the opening of a connection to its first byte.
    public var firstByteTimeout: Duration = .seconds(10)
    /// The maximum time from the first byte of a request to the end of its head.
    public var headTimeout: Duration = .seconds(10)
    /// The maximum time from the end of a request's head to the end of its body.
    public var bodyTimeout: Duration = .seconds(30)
    /// The maximum time for which a client may not read while more of its responses is unsent than the system buffers.
    public var unreadTimeout: Duration = .seconds(60)
    /// The maximum size in bytes of a request's line and header fields, together and each.
    public var headerBytes = 32 * 1_024
    /// The maximum number of header fields of a request.
    public var headerCount = 100
    /// The limit on requests of one user; nil means no limit.
    public var requestsPerUser: RateLimit?
    /// The limit on requests from one address; nil means no limit.
    public var requestsPerAddress: RateLimit?
    /// The proxies whose forwarding headers are trusted to name the client's address.
    public var trustedProxies: [InternetNetwork] = []

    /// Creates limits with the defaults.
    public init() {}
}

/// A limit on the number of operations of one user in a time window.
public struct RateLimit: Sendable, Equatable {
    /// The number of operations allowed within the window.
    public var quota: Int
    /// The window's length in whole seconds.
    public var window: Int
    /// The least number of users that are remembered.
    ///
    /// Beyond twice this number, the users not seen for longest are dropped.
    public var trackedUsers: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - quota: The number of operations allowed within the window, 1 or more.
    ///   - window: The window's length in whole seconds, 1 or more.
    ///   - trackedUsers: The least number of users that are remembered, 1 or more.
    public init(quota: Int = 10, window: Int = 60, trackedUsers: Int = 10_000) {
        self.quota = max(quota, 1)
        self.window = max(window, 1)
        self.trackedUsers = max(trackedUsers, 1)
    }
}

/// The proxies whose `X-Forwarded-For` entries are trusted.
struct TrustedProxies: Sendable {
    let networks: [InternetNetwork]

    /// Returns the client's address of a request.
    ///
    /// The function reads `X-Forwarded-For` from its end, where the nearest proxy wrote. It uses an entry only if a
    /// trusted proxy wrote it, so entries that the client sent are ignored.
    ///
    /// - Parameters:
    ///   - peer: The other side of the connection; nil if it has no address.
    ///   - fields: The values of `X-Forwarded-For`, in order.
    /// - Returns: The client's address, for IPv6 its /64 network; nil if the connection has no address.
    func client(behind peer: InternetAddress?, forwardedFor fields: [String]) -> InternetAddress? {
        guard var client = peer else { return nil }
        var entries = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while self.isTrusted(client), let entry = entries.popLast(), let address = Self.address(in: entry) {
            client = address
        }
        return client.client
    }

    func isTrusted(_ address: InternetAddress) -> Bool {
        self.networks.contains { $0.contains(address) }
    }

    /// Parses an address, with or without the port that some proxies append.
    private static func address(in entry: Substring) -> InternetAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") { return InternetAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return InternetAddress(String(parts.count == 2 ? parts[0] : text))
    }

    /// Returns the client's address of a request, from its connection and its header fields.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context, which contains the connection.
    /// - Returns: The client's address, for IPv6 its /64 network; nil if the connection has no address.
    func client(of request: Request, _ context: AppRequestContext) -> InternetAddress? {
        self.client(
            behind: context.channel.remoteAddress?.ipAddress.flatMap(InternetAddress.init(host:)),
            forwardedFor: request.headers[values: .forwardedFor]
        )
    }
}
