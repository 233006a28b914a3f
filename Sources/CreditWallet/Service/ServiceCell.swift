import Logging
import Postgres
import ServiceLifecycle
import Telemetry
import WalletAPI

/// One of several wallets of a process: opens it once its database is usable, and then runs its services.
struct ServiceCell: Service {
    /// The delay before the next attempt to open the wallet.
    private static let pause: Duration = .seconds(5)

    let name: String
    let configuration: ServiceConfiguration
    let application: WalletApplication
    let logger: Logger
    private let gate = CellGate()

    init(name: String, configuration: ServiceConfiguration, application: WalletApplication, logger: Logger) {
        self.name = name
        self.configuration = configuration
        self.application = application
        self.logger = logger
    }

    /// The wallet in the form that the server takes.
    var cell: WalletCell {
        WalletCell(
            name: self.name,
            server: self.application.server,
            issuers: self.configuration.authentication.issuers.map(\.issuer),
            gate: self.gate
        )
    }

    /// Opens all wallets whose databases are usable; the others are retried once they run.
    ///
    /// - Parameter cells: The wallets.
    /// - Throws: ``CommandError`` with the reason for the first wallet, if none can be opened.
    static func openAll(_ cells: [ServiceCell]) async throws {
        let failures = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (place, cell) in cells.enumerated() { group.addTask { (place, await cell.open()) } }
            return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
        }
        guard failures.count == cells.count, let first = failures[0] else { return }
        for cell in cells { await cell.application.pool.close() }
        throw (first as? CommandError)?.of(cells[0].name) ?? first
    }

    /// Runs the wallet's services from its opening until shutdown.
    func run() async throws {
        try await MetricOwner.$wallet.withValue(self.name) {
            await cancelWhenGracefulShutdown { await self.openAtLast() }
            guard self.gate.isOpen else { return await self.application.pool.close() }
            let configuration = ServiceGroupConfiguration(
                // Without a name, the group logs the whole service value, including its secrets.
                services: self.application.ownServices.map { .init(service: $0, serviceName: "\(type(of: $0))") },
                logger: self.logger
            )
            try await ServiceGroup(configuration: configuration).run()
        }
    }

    private func openAtLast() async {
        while !self.gate.isOpen, !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            if !Task.isCancelled { _ = await self.open() }
        }
    }

    /// Opens the wallet if its database is usable.
    ///
    /// - Returns: The error that prevents the opening; nil if the wallet is open.
    private func open() async -> (any Error)? {
        do {
            try await self.application.open(self.configuration, logger: self.logger)
        } catch {
            self.logger.error("the wallet is unavailable; retrying", error: error)
            return error
        }
        self.gate.open()
        self.logger.info("the wallet is available")
        return nil
    }
}
