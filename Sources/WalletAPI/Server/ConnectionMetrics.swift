import Metrics

/// Counts refused connections and failed accepts.
struct ConnectionMetrics: Sendable {
    /// Connections closed because the client sent nothing.
    let silent = Self.refused("silent")
    /// Connections closed because their address already had the maximum number.
    let crowded = Self.refused("address")
    /// Accepts that failed because the process lacked files or memory.
    let failures = Counter(label: "wallet_http_accept_failures_total")

    private static func refused(_ reason: String) -> Counter {
        Counter(label: "wallet_http_connections_refused_total", dimensions: [("reason", reason)])
    }
}
