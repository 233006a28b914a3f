import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Stores
import Telemetry
import WalletAPI

extension ConfigurationKey {
    static let httpHost = Self("HTTP_HOST", .fallback("127.0.0.1"), "Address to listen on; 0.0.0.0 for all.")
    static let httpPort = Self("HTTP_PORT", .fallback("8080"), "Port to listen on.")
    static let receiptsPerMinute = Self(
        "RECEIPTS_PER_MINUTE",
        .fallback("10"),
        "Maximum receipt verifications of one user per minute."
    )
    static let maximumStreams = Self(
        "MAXIMUM_STREAMS",
        .fallback("10000"),
        "Maximum open balance streams (GET /balance/stream); more are answered 503 overloaded."
    )
    static let operatorMaximumAmount = Self(
        "OPERATOR_MAXIMUM_AMOUNT",
        .fallback("1000"),
        "Maximum credits or visits that one adjustment by an operator may add or deduct; 0 allows none."
    )
    static let operatorDailyAmount = Self(
        "OPERATOR_DAILY_AMOUNT",
        .fallback("20000"),
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
        .fallback("0"),
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
        "REQUESTS_PER_USER",
        .fallback("0"),
        "Maximum requests of one user per minute, also all at once; more are answered 429 rate-limited. 0 means no "
            + "limit."
    )
    static let requestsPerAddress = Self(
        "REQUESTS_PER_ADDRESS",
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
        .fallback("16384"),
        "Maximum open connections; further ones wait. 0 means no limit. The process's limit on open files, minus a "
            + "reserve, also applies: serve raises its soft limit, and logs a warning if that is not enough."
    )
    static let httpConnectionsPerAddress = Self(
        "HTTP_CONNECTIONS_PER_ADDRESS",
        .fallback("0"),
        "Maximum open connections from one address (for IPv6 one /64); further ones are closed immediately. 0 means no "
            + "limit. Addresses in TRUSTED_PROXIES have no limit; any other proxy counts as one client."
    )
    static let httpFirstByteTimeout = Self(
        "HTTP_FIRST_BYTE_TIMEOUT",
        .fallback("10"),
        "Seconds that a new connection may stay silent before it is closed. After its first request, HTTP_IDLE_TIMEOUT "
            + "applies."
    )
    static let httpIdleTimeout = Self(
        "HTTP_IDLE_TIMEOUT",
        .fallback("75"),
        "Seconds that a connection may stay silent between requests; longer than the idle timeout of a proxy in front "
            + "of it."
    )
    static let httpHeadTimeout = Self(
        "HTTP_HEAD_TIMEOUT",
        .fallback("10"),
        "Seconds that a request's first line and header fields may take to arrive; after that 408 request-timeout."
    )
    static let httpBodyTimeout = Self(
        "HTTP_BODY_TIMEOUT",
        .fallback("30"),
        "Seconds that a request's body may take after the head; after that 408 request-timeout."
    )
    static let httpMaximumHeaderBytes = Self(
        "HTTP_MAXIMUM_HEADER_BYTES",
        .fallback("32768"),
        "Maximum bytes of a request's first line and header fields; more are answered 431 headers-too-large."
    )
    static let httpMaximumHeaders = Self(
        "HTTP_MAXIMUM_HEADERS",
        .fallback("100"),
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

extension Settings {
    /// Returns the configuration of the HTTP server.
    func http() throws(CommandError) -> WalletServerConfiguration {
        WalletServerConfiguration(
            host: try self.required(.httpHost),
            port: try self.integer(.httpPort, in: 0...65_535),
            receipts: RateLimit(quota: try self.integer(.receiptsPerMinute, in: 1...100_000), window: 60),
            streams: StreamLimits(total: try self.integer(.maximumStreams, in: 0...1_000_000)),
            idleTimeout: try self.integer(.httpIdleTimeout, in: 1...86_400),
            drainDelay: .seconds(try self.drainDelay()),
            reconcileMaximumGrants: try self.integer(.reconcileMaximumGrants, in: 0...1_000_000),
            operatorMaximumAmount: try self.integer(.operatorMaximumAmount, in: 0...1_000_000_000),
            operatorDailyAmount: try self.integer(.operatorDailyAmount, in: 0...1_000_000_000_000),
            corsOrigins: try self.origins(.corsOrigins),
            hasReference: try self.flag(.apiReference),
            limits: try self.limits(),
            operatorPages: try self.operatorPages()
        )
    }

    /// Returns the time for which requests are accepted after SIGTERM; it must be less than the shutdown timeout.
    private func drainDelay() throws(CommandError) -> Int {
        let delay = try self.integer(.drainDelay, in: 0...3_599)
        guard try delay < self.integer(.shutdownTimeout, in: 1...3_600) else {
            let names = [ConfigurationKey.drainDelay, .shutdownTimeout].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must be less than \(names[1]).")
        }
        return delay
    }

    /// Returns the time that requests have to finish after SIGTERM.
    func shutdownTimeout() throws(CommandError) -> Duration {
        .seconds(try self.integer(.shutdownTimeout, in: 1...3_600))
    }

    /// Returns the origins of web pages; empty if the key is not set.
    ///
    /// A single `*` allows all origins.
    ///
    /// A browser sends an origin as scheme, host and port only, so any other form would never match.
    func origins(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        guard try self.string(key) != nil else { return [] }
        let origins = try self.list(key)
        if origins == ["*"] { return origins }
        for origin in origins {
            guard let url = URL(string: origin), let host = url.host(percentEncoded: false), !host.isEmpty,
                let scheme = url.scheme, ["http", "https"].contains(scheme),
                origin == "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")", origin == origin.lowercased()
            else {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain origins without a path, such as https://app.example, separated by "
                        + "commas, or * for all."
                )
            }
        }
        return origins
    }

    /// Returns the limits for clients.
    func limits() throws(CommandError) -> HTTPLimits {
        HTTPLimits(
            connections: try self.integer(.httpMaximumConnections, in: 0...10_000_000),
            connectionsPerAddress: try self.integer(.httpConnectionsPerAddress, in: 0...10_000_000),
            firstByteTimeout: .seconds(try self.integer(.httpFirstByteTimeout, in: 1...3_600)),
            headTimeout: .seconds(try self.integer(.httpHeadTimeout, in: 1...3_600)),
            bodyTimeout: .seconds(try self.integer(.httpBodyTimeout, in: 1...3_600)),
            headerBytes: try self.integer(.httpMaximumHeaderBytes, in: 1_024...1_048_576),
            headerCount: try self.integer(.httpMaximumHeaders, in: 10...10_000),
            requestsPerUser: try self.requests(.requestsPerUser),
            requestsPerAddress: try self.requests(.requestsPerAddress),
            trustedProxies: try self.networks(.trustedProxies)
        )
    }

    private func requests(_ key: ConfigurationKey) throws(CommandError) -> RateLimit? {
        let quota = try self.integer(key, in: 0...100_000_000)
        return quota == 0 ? nil : RateLimit(quota: quota, window: 60)
    }

    private func networks(_ key: ConfigurationKey) throws(CommandError) -> [InternetNetwork] {
        var networks: [InternetNetwork] = []
        for text in try self.optionalList(key) {
            guard let network = InternetNetwork(text) else {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain addresses such as 10.0.0.0/8 or 192.0.2.7."
                )
            }
            networks.append(network)
        }
        return networks
    }

    /// Returns the networks that calls to stores and key sets may reach; any flag for other hosts allows all networks.
    func reach() throws(CommandError) -> EgressPolicy {
        let flags: [ConfigurationKey] = [
            .outgoingAllowPrivate, .appStoreAllowOtherHosts, .revenueCatAllowOtherHosts, .googlePlayAllowOtherHosts,
        ]
        for flag in flags {
            if try self.flag(flag) { return .anywhere }
        }
        return .publicOnly
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
