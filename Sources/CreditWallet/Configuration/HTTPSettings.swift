import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Stores
import Telemetry
import Wallet
import WalletAPI

extension ConfigurationKey {
    private static let server = WalletServerConfiguration()

    static let httpHost = Self("HTTP_HOST", .fallback(server.host), "Address to listen on; 0.0.0.0 for all.")
    static let httpPort = Self("HTTP_PORT", .fallback(value: server.port), "Port to listen on.")
    static let receiptsPerMinute = Self(
        "RECEIPTS_PER_USER_PER_MINUTE",
        .fallback(value: server.receipts.quota),
        "Maximum receipt verifications of one user per minute."
    )
    static let maximumStreams = Self(
        "MAXIMUM_STREAMS",
        .fallback(value: server.streams.total),
        "Maximum open balance streams (GET /balance/stream); more are answered 503 overloaded."
    )
    static let operatorMaximumAmount = Self(
        "OPERATOR_MAXIMUM_AMOUNT",
        .fallback(value: server.operatorLimits.maximumAmount),
        "Maximum credits or visits that one adjustment by an operator may add or deduct; 0 allows none."
    )
    static let operatorDailyAmount = Self(
        "OPERATOR_DAILY_AMOUNT",
        .fallback(value: server.operatorLimits.dailyAmount),
        "Maximum credits and visits that one operator may add and deduct on one day (UTC), for all adjustments of "
            + "production wallets together; 0 allows none."
    )
    static let corsOrigins = Self(
        "CORS_ORIGINS",
        .optional,
        "Origins whose web pages may call the user routes and /functions/v1, separated by commas, such as "
            + "https://app.example; * for all. Without it, no page of another origin may call them."
    )
    static let apiReference = Self(
        "API_REFERENCE",
        .fallback("true"),
        "Serves the API reference: /docs, /problems, /guides, /llms.txt and /openapi.json. It is public, contains no "
            + "user data and little beyond openapi.yaml, and makes no calls. Set it to false to hide it on a public "
            + "address."
    )
    static let drainDelay = Self(
        "DRAIN_DELAY",
        .fallback(seconds: server.drainDelay),
        "Seconds after SIGTERM during which requests are still accepted while /ready fails. Behind a load balancer, "
            + "set it slightly longer than the balancer needs to notice. It is part of SHUTDOWN_TIMEOUT and must be "
            + "shorter."
    )
    static let shutdownTimeout = Self(
        "SHUTDOWN_TIMEOUT",
        .fallback("30"),
        "Seconds that requests have to finish after SIGTERM."
    )
}

/// The configuration keys of client limits, and of the networks that outgoing calls may reach.
extension ConfigurationKey {
    static let requestsPerUser = Self(
        "REQUESTS_PER_USER_PER_MINUTE",
        .fallback("0"),
        "Maximum requests of one user per minute, also all at once; more are answered 429 rate-limited. 0 means no "
            + "limit."
    )
    static let requestsPerAddress = Self(
        "REQUESTS_PER_ADDRESS_PER_MINUTE",
        .fallback("0"),
        "Maximum requests from one address (for IPv6 one /64) per minute, including stores' messages. 0 means no "
            + "limit. Behind a proxy, set TRUSTED_PROXIES; otherwise all clients share one limit."
    )
    static let trustedProxies = Self(
        "TRUSTED_PROXIES",
        .optional,
        "Addresses of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,192.0.2.7."
    )
    static let httpMaximumConnections = Self(
        "HTTP_MAXIMUM_CONNECTIONS",
        .fallback(value: server.limits.connections),
        "Maximum open connections; further ones wait. 0 means no limit. The process's limit on open files, minus a "
            + "reserve, also applies: serve raises its soft limit, and logs a warning if that is not enough."
    )
    static let httpConnectionsPerAddress = Self(
        "HTTP_CONNECTIONS_PER_ADDRESS",
        .fallback(value: server.limits.connectionsPerAddress),
        "Maximum open connections from one address (for IPv6 one /64); further ones are closed immediately. 0 means no "
            + "limit. Addresses in TRUSTED_PROXIES have no limit; any other proxy counts as one client."
    )
    static let httpFirstByteTimeout = Self(
        "HTTP_FIRST_BYTE_TIMEOUT",
        .fallback(seconds: server.limits.firstByteTimeout),
        "Seconds that a new connection may stay silent before it is closed. After its first request, HTTP_IDLE_TIMEOUT "
            + "applies."
    )
    static let httpIdleTimeout = Self(
        "HTTP_IDLE_TIMEOUT",
        .fallback(value: server.idleTimeout),
        "Seconds that a connection may stay silent between requests; longer than the idle timeout of a proxy in front "
            + "of it."
    )
    static let httpHeadTimeout = Self(
        "HTTP_HEAD_TIMEOUT",
        .fallback(seconds: server.limits.headTimeout),
        "Seconds that a request's first line and header fields may take to arrive; after that 408 request-timeout."
    )
    static let httpBodyTimeout = Self(
        "HTTP_BODY_TIMEOUT",
        .fallback(seconds: server.limits.bodyTimeout),
        "Seconds that a request's body may take after the head; after that 408 request-timeout."
    )
    static let httpMaximumHeaderBytes = Self(
        "HTTP_MAXIMUM_HEADER_BYTES",
        .fallback(value: server.limits.headerBytes),
        "Maximum bytes of a request's first line and header fields; more are answered 431 headers-too-large."
    )
    static let httpMaximumHeaders = Self(
        "HTTP_MAXIMUM_HEADERS",
        .fallback(value: server.limits.headerCount),
        "Maximum header fields of a request; more are answered 431 headers-too-large."
    )
    static let outgoingAllowPrivate = Self(
        "OUTGOING_ALLOW_PRIVATE",
        .fallback("false"),
        "Allows stores and key sets at private, loopback or link-local addresses. Any …_ALLOW_OTHER_HOSTS implies it "
            + "for connections. EVENTS_URL may always have such an address."
    )

    static let allOfHTTP = [
        requestsPerUser, requestsPerAddress, trustedProxies, httpMaximumConnections,
        httpConnectionsPerAddress, httpFirstByteTimeout, httpIdleTimeout, httpHeadTimeout, httpBodyTimeout,
        httpMaximumHeaderBytes, httpMaximumHeaders, outgoingAllowPrivate,
    ]
}

extension WalletServerConfiguration {
    /// Reads the configuration of the HTTP server.
    ///
    /// - Configuration keys: `HTTP_HOST`, `HTTP_PORT`, `RECEIPTS_PER_USER_PER_MINUTE`, `MAXIMUM_STREAMS`,
    ///   `HTTP_IDLE_TIMEOUT`, `DRAIN_DELAY`, `RECONCILE_MAXIMUM_GRANTS`, `OPERATOR_MAXIMUM_AMOUNT`,
    ///   `OPERATOR_DAILY_AMOUNT`, `CORS_ORIGINS`, `API_REFERENCE`, and those of the values below.
    init(reader: Settings) throws(CommandError) {
        self.init()
        self.host = try reader.required(.httpHost)
        self.port = try reader.integer(.httpPort, in: 0...65_535)
        self.receipts.quota = try reader.integer(.receiptsPerMinute, in: 1...100_000)
        self.streams.total = try reader.integer(.maximumStreams, in: 0...1_000_000)
        self.idleTimeout = try reader.integer(.httpIdleTimeout, in: 1...86_400)
        self.drainDelay = try reader.drainDelay()
        self.reconcileMaximumGrants = try reader.reconcileMaximumGrants()
        self.operatorLimits.maximumAmount = try reader.integer(.operatorMaximumAmount, in: 0...1_000_000_000)
        self.operatorLimits.dailyAmount = try reader.integer(.operatorDailyAmount, in: 0...1_000_000_000_000)
        self.corsOrigins = try reader.origins(.corsOrigins)
        self.hasReference = try reader.flag(.apiReference)
        self.limits = try HTTPLimits(reader: reader)
        self.operatorPages = try ListenAddress(consoleOf: reader)
    }
}

extension HTTPLimits {
    /// Reads the limits for clients.
    ///
    /// - Configuration keys: `HTTP_MAXIMUM_CONNECTIONS`, `HTTP_CONNECTIONS_PER_ADDRESS`, `HTTP_FIRST_BYTE_TIMEOUT`,
    ///   `HTTP_HEAD_TIMEOUT`, `HTTP_BODY_TIMEOUT`, `HTTP_MAXIMUM_HEADER_BYTES`, `HTTP_MAXIMUM_HEADERS`,
    ///   `REQUESTS_PER_USER_PER_MINUTE`, `REQUESTS_PER_ADDRESS_PER_MINUTE`, `TRUSTED_PROXIES`.
    init(reader: Settings) throws(CommandError) {
        self.init()
        self.connections = try reader.integer(.httpMaximumConnections, in: 0...10_000_000)
        self.connectionsPerAddress = try reader.integer(.httpConnectionsPerAddress, in: 0...10_000_000)
        self.firstByteTimeout = .seconds(try reader.integer(.httpFirstByteTimeout, in: 1...3_600))
        self.headTimeout = .seconds(try reader.integer(.httpHeadTimeout, in: 1...3_600))
        self.bodyTimeout = .seconds(try reader.integer(.httpBodyTimeout, in: 1...3_600))
        self.headerBytes = try reader.integer(.httpMaximumHeaderBytes, in: 1_024...1_048_576)
        self.headerCount = try reader.integer(.httpMaximumHeaders, in: 10...10_000)
        self.requestsPerUser = try reader.requests(.requestsPerUser)
        self.requestsPerAddress = try reader.requests(.requestsPerAddress)
        self.trustedProxies = try reader.networks(.trustedProxies)
    }
}

extension EgressPolicy {
    /// Reads which networks calls to stores and key sets may reach; any flag for other hosts allows all networks.
    ///
    /// - Configuration keys: `OUTGOING_ALLOW_PRIVATE`, `APPSTORE_ALLOW_OTHER_HOSTS`, `REVENUECAT_ALLOW_OTHER_HOSTS`,
    ///   `GOOGLEPLAY_ALLOW_OTHER_HOSTS`.
    init(reader: Settings) throws(CommandError) {
        self = .publicOnly
        let flags: [ConfigurationKey] = [
            .outgoingAllowPrivate, .appStoreAllowOtherHosts, .revenueCatAllowOtherHosts, .googlePlayAllowOtherHosts,
        ]
        for flag in flags where try reader.flag(flag) {
            self = .anywhere
            return
        }
    }
}

extension Settings {
    /// Reads `SHUTDOWN_TIMEOUT`: the time that requests have to finish after SIGTERM.
    func shutdownTimeout() throws(CommandError) -> Duration {
        .seconds(try self.integer(.shutdownTimeout, in: 1...3_600))
    }

    /// Reads `DRAIN_DELAY`: the time for which requests are accepted after SIGTERM; less than the shutdown timeout.
    fileprivate func drainDelay() throws(CommandError) -> Duration {
        let delay = Duration.seconds(try self.integer(.drainDelay, in: 0...3_599))
        guard try delay < self.shutdownTimeout() else {
            throw ConfigurationKey.drainDelay.refused("must be less than \(ConfigurationKey.shutdownTimeout.name).")
        }
        return delay
    }

    /// Reads the origins of web pages; empty if the key is not set.
    ///
    /// A single `*` allows all origins. A browser sends an origin as scheme, host and port only, so any other form
    /// would never match.
    fileprivate func origins(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        let origins = try self.optionalList(key)
        if origins == ["*"] { return origins }
        for origin in origins {
            guard let url = URL(string: origin), let host = url.host(percentEncoded: false), !host.isEmpty,
                let scheme = url.scheme, ["http", "https"].contains(scheme),
                origin == "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")", origin == origin.lowercased()
            else {
                throw key.refused(
                    "must contain origins without a path, such as https://app.example, separated by commas, or * for "
                        + "all."
                )
            }
        }
        return origins
    }

    /// Reads a limit on requests per minute; nil for 0.
    fileprivate func requests(_ key: ConfigurationKey) throws(CommandError) -> RateLimit? {
        let quota = try self.integer(key, in: 0...100_000_000)
        return quota == 0 ? nil : RateLimit(quota: quota, window: 60)
    }

    /// Reads networks; empty if the key is not set.
    fileprivate func networks(_ key: ConfigurationKey) throws(CommandError) -> [InternetNetwork] {
        var networks: [InternetNetwork] = []
        for text in try self.optionalList(key) {
            guard let network = InternetNetwork(text) else {
                throw key.refused("must contain addresses such as 10.0.0.0/8 or 192.0.2.7.")
            }
            networks.append(network)
        }
        return networks
    }
}

extension HTTPClient.Configuration {
    /// The configuration of calls to stores, key sets and the events' endpoint.
    ///
    /// The wait for a connection counts toward a call's timeout, so a few hanging calls must not use up the host's
    /// connections. Each call carries the trace of its request. Redirects are not followed, because the data is meant
    /// for the configured address only.
    static var outgoing: Self { .outgoing(tracer: SpanTracer()) }

    /// Returns the same configuration with a tracer that records calls as spans.
    ///
    /// - Parameter tracer: The tracer.
    /// - Returns: The configuration.
    static func outgoing(tracer: SpanTracer) -> Self {
        var configuration = Self(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.tracing.tracer = tracer
        return configuration
    }

    /// Returns the same configuration with a check of each connection before data is sent.
    ///
    /// - Parameters:
    ///   - reach: The networks that connections may reach.
    ///   - tracer: The tracer.
    ///   - logger: The logger for refused connections.
    /// - Returns: The configuration.
    static func outgoing(
        within reach: EgressPolicy,
        tracer: SpanTracer = SpanTracer(),
        logger: Logger
    ) -> Self {
        var configuration = Self.outgoing(tracer: tracer)
        guard reach != .anywhere else { return configuration }
        configuration.http1_1ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        configuration.http2ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        return configuration
    }
}
