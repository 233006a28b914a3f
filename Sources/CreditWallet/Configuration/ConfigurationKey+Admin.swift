/// The keys of the metrics endpoint.
extension ConfigurationKey {
    static let adminHost = Self(
        "ADMIN_HOST",
        .fallback("127.0.0.1"),
        "Address of GET /metrics; users must not be able to reach it."
    )
    static let adminPort = Self(
        "ADMIN_PORT",
        .optional,
        "Port of GET /metrics, in Prometheus' format. Without it, no metrics are collected."
    )
    static let metricsInterval = Self(
        "METRICS_INTERVAL",
        .fallback("60"),
        "Seconds between two readings of wallet totals and of waiting items. Each reading reads all lots. 0 disables "
            + "it on this instance."
    )
    static let invariantsInterval = Self(
        "INVARIANTS_INTERVAL",
        .fallback("3600"),
        "Seconds between two counts of broken invariants. Each count reads the changes since the last one. 0 disables "
            + "it on this instance."
    )

    static let allOfAdmin = [adminHost, adminPort, metricsInterval, invariantsInterval]
}
