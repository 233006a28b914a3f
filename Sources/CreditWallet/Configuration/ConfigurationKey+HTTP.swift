/// The configuration keys of client limits, and of the networks that outgoing calls may reach.
extension ConfigurationKey {
    static let requestsPerUser = Self(
        "REQUESTS_PER_USER",
        .fallback("0"),
        "Requests that a user may make in a minute, all at once if they like; more are answered 429 rate-limited. 0 for "
            + "any number."
    )
    static let requestsPerAddress = Self(
        "REQUESTS_PER_ADDRESS",
        .fallback("0"),
        "Requests that may come from one address (for IPv6 one /64) in a minute, stores' messages too; 0 for any number. "
            + "Behind a proxy it needs TRUSTED_PROXIES, or all clients are one."
    )
    static let trustedProxies = Self(
        "TRUSTED_PROXIES",
        .optional,
        "Addresses of proxies, such as 10.0.0.0/8,192.0.2.7, whose X-Forwarded-For is believed; none unless set."
    )
    static let httpMaximumConnections = Self(
        "HTTP_MAXIMUM_CONNECTIONS",
        .fallback("16384"),
        "Connections that are open at once; further ones wait to be taken. 0 for any number. No more than the process may "
            + "have open files, less some for its own use: serve raises its soft limit and logs where that is too few."
    )
    static let httpConnectionsPerAddress = Self(
        "HTTP_CONNECTIONS_PER_ADDRESS",
        .fallback("0"),
        "Connections that may be open from one address (for IPv6 one /64); further ones are closed at once. 0 for any "
            + "number. Addresses of TRUSTED_PROXIES have no limit; a proxy that is not among them is one client."
    )
    static let httpFirstByteTimeout = Self(
        "HTTP_FIRST_BYTE_TIMEOUT",
        .fallback("10"),
        "Seconds that a new connection may be silent before it is closed; after its first request, HTTP_IDLE_TIMEOUT "
            + "counts."
    )
    static let httpIdleTimeout = Self(
        "HTTP_IDLE_TIMEOUT",
        .fallback("75"),
        "Seconds that a connection may be silent between requests; longer than the proxy before it waits."
    )
    static let httpHeadTimeout = Self(
        "HTTP_HEAD_TIMEOUT",
        .fallback("10"),
        "Seconds that a request's line and header fields may take to arrive; then 408 request-timeout."
    )
    static let httpBodyTimeout = Self(
        "HTTP_BODY_TIMEOUT",
        .fallback("30"),
        "Seconds that its body may take after that; then 408 request-timeout."
    )
    static let httpMaximumHeaderBytes = Self(
        "HTTP_MAXIMUM_HEADER_BYTES",
        .fallback("32768"),
        "Bytes that a request's line and header fields may have; more are answered 431 headers-too-large."
    )
    static let httpMaximumHeaders = Self(
        "HTTP_MAXIMUM_HEADERS",
        .fallback("100"),
        "Header fields that a request may have; more are answered 431 headers-too-large."
    )
    static let outgoingAllowPrivate = Self(
        "OUTGOING_ALLOW_PRIVATE",
        .fallback("false"),
        "Whether stores and key sets may be at private, loopback or link-local addresses; any …_ALLOW_OTHER_HOSTS "
            + "implies it for connections. EVENTS_URL may be anyway."
    )

    static let allOfHTTP = [
        requestsPerUser, requestsPerAddress, trustedProxies, httpMaximumConnections,
        httpConnectionsPerAddress, httpFirstByteTimeout, httpIdleTimeout, httpHeadTimeout, httpBodyTimeout,
        httpMaximumHeaderBytes, httpMaximumHeaders, outgoingAllowPrivate,
    ]
}
