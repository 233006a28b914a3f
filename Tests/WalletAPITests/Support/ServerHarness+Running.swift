import Logging
import ServiceLifecycle
import Stores
import WalletAPI

extension ServerHarness {
    /// Runs a test against a server without a database that runs as in the executable, and stops it afterwards.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration; its port must be 0.
    ///   - test: A closure that receives the port and the group that stops the server.
    /// - Throws: An error of the test, or of a server that cannot start.
    static func running(
        _ configuration: WalletServerConfiguration,
        _ test: (Int, ServiceGroup) async throws -> Void
    ) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server = WalletServer(
            configuration: configuration,
            wallet: try Self.deadWallet(),
            changes: try Self.deadChanges(),
            tokens: try await Self.tokens(),
            stores: StoreClients(),
            logger: .silent,
            onListening: { listening.yield($0) }
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            if let port = await ports.first(where: { _ in true }) { try await test(port, group) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
