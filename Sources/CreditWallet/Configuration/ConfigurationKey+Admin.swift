/// The keys of the metrics endpoint.
extension ConfigurationKey {
    static let adminHost = Self(
        "ADMIN_HOST",
        .fallback("127.0.0.1"),
        "Address of GET /metrics; one that users do not reach."
    )
    static let adminPort = Self(
        "ADMIN_PORT",
        .optional,
        "Port of GET /metrics, in Prometheus' format; without it nothing is measured."
    )
    static let metricsInterval = Self(
        "METRICS_INTERVAL",
        .fallback("60"),
        "Seconds between two readings of what all wallets hold and of what waits; 0 for none here. Each reads all lots."
    )
    static let invariantsInterval = Self(
        "INVARIANTS_INTERVAL",
        .fallback("3600"),
        "Seconds between two countings of broken invariants; 0 for none here. Each reads what changed since."
    )

    static let allOfAdmin = [adminHost, adminPort, metricsInterval, invariantsInterval]
}
