import Metrics

/// Counts connections that came to no request, and those that could not be taken.
struct ConnectionMetrics: Sendable {
    /// Closed because nothing came.
    let silent = Self.refused("silent")
    /// Closed because their address had as many as it may.
    let crowded = Self.refused("address")
    /// Attempts to take a connection that failed, for want of files or memory.
    let failures = Counter(label: "wallet_http_accept_failures_total")

    private static func refused(_ reason: String) -> Counter {
        Counter(label: "wallet_http_connections_refused_total", dimensions: [("reason", reason)])
    }
}
