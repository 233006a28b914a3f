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
