import Foundation
import Metrics
import Synchronization
import Wallet

/// Samples the metrics of the whole ledger at an interval, independent of the scrapes of `/metrics`.
final class LedgerMetricsSampler: Sendable {
    private let wallet: Wallet
    private let sendsEvents: Bool
    private let build = BuildInformation()
    /// The current values of the grant counters, by their labels.
    private let counted = Mutex<[String: Int64]>([:])

    /// Creates a sampler.
    ///
    /// - Parameters:
    ///   - wallet: A wallet on a separate connection without timeouts, because the queries may be slow.
    ///   - sendsEvents: A Boolean value that indicates whether events are delivered; if not, their backlog is
    ///     meaningless.
    init(wallet: Wallet, sendsEvents: Bool) {
        self.wallet = wallet
        self.sendsEvents = sendsEvents
    }

    /// Samples the outstanding amounts and the backlogs.
    @Sendable
    func sampleBooks() async throws {
        self.build.show(postgreSQL: try await self.wallet.databaseVersion())
        self.note(try await self.wallet.lotTotals())
        for backlog in try await self.wallet.inboxBacklog() {
            let labels = [("source", backlog.source), ("status", backlog.status)]
            Meter(label: "wallet_inbox_messages", dimensions: labels).set(backlog.messages)
            Meter(label: "wallet_inbox_oldest_seconds", dimensions: labels).set(backlog.age)
        }
        if self.sendsEvents {
            let backlog = try await self.wallet.outboxBacklog()
            Meter(label: "wallet_outbox_oldest_seconds").set(backlog.age)
            Meter(label: "wallet_outbox_pending").set(backlog.pending)
            Meter(label: "wallet_outbox_dead").set(backlog.dead)
        }
        Self.stamp("books")
    }

    /// Counts the violations of every invariant in the data that changed since the last call.
    @Sendable
    func sampleInvariants() async throws {
        for invariant in try await self.wallet.invariantCounts() {
            Meter(label: "wallet_invariant_violations", dimensions: [("invariant", invariant.name)])
                .set(invariant.violations)
        }
        Self.stamp("invariants")
    }

    private func note(_ totals: [LotTotal]) {
        for environment in [WalletEnvironment.production, .sandbox] {
            for unit in [CreditUnit.credit, .visit] {
                let lots = totals.filter { $0.environment == environment && $0.unit == unit }
                let labels = [("environment", environment.rawValue), ("unit", unit.rawValue)]
                Self.set("wallet_liability_units", labels, lots.map(\.outstanding))
                Self.set("wallet_owed_units", labels, lots.map(\.owed))
                Self.set("wallet_spent_units", labels, lots.map(\.spent))
                for lot in lots { self.noteGrants(of: lot, labels + [("source", lot.source)]) }
            }
        }
    }

    private static func set(_ name: String, _ labels: [(String, String)], _ parts: [Double]) {
        Meter(label: name, dimensions: labels).set(parts.reduce(0, +))
    }

    private func noteGrants(of total: LotTotal, _ labels: [(String, String)]) {
        self.raise("wallet_grants_total", labels, to: total.lots)
        self.raise("wallet_granted_units_total", labels, to: total.granted)
    }

    /// Raises a counter to the value in the ledger.
    private func raise(_ name: String, _ labels: [(String, String)], to value: Int64) {
        let key = "\(name) \(labels.map(\.1))"
        let news = self.counted.withLock { counted in
            let known = counted[key] ?? 0
            counted[key] = max(known, value)
            return value - known
        }
        if news > 0 { Counter(label: name, dimensions: labels).increment(by: news) }
    }

    private static func stamp(_ sample: String) {
        Meter(label: "wallet_sampled_timestamp_seconds", dimensions: [("sample", sample)])
            .set(Date.now.timeIntervalSince1970)
    }
}

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
