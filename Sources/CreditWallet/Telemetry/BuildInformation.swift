import Metrics
import Synchronization

/// The metric `wallet_build_info`: the release, and the versions of Swift and PostgreSQL.
final class BuildInformation: Sendable {
    private let database = Mutex<String?>(nil)

    #if compiler(>=6.5)
        static let swift = "6.5 or newer"
    #elseif compiler(>=6.4)
        static let swift = "6.4"
    #elseif compiler(>=6.3)
        static let swift = "6.3"
    #else
        static let swift = "6.2"
    #endif

    /// Sets the series of the connected PostgreSQL version to 1 and that of the previous version to 0.
    func show(postgreSQL version: String?) {
        let former = self.database.withLock { known in
            defer { known = version }
            return known
        }
        if let former, former != version { Self.gauge(former).set(0) }
        Self.gauge(version).set(1)
    }

    private static func gauge(_ version: String?) -> Meter {
        Meter(
            label: "wallet_build_info",
            dimensions: [
                ("version", VersionCommand.current), ("swift_version", Self.swift),
                ("postgresql_version", version ?? "unknown"),
            ]
        )
    }
}
