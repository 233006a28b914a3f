import Foundation
import Logging
import Postgres
import TestSupport
import Testing
import Wallet

/// Stops and restarts PostgreSQL: the wallet decides nothing meanwhile and recovers without help.
@Suite(.serialized) struct OutageTests {
    @Test(.timeLimit(.minutes(10))) func `without its database the wallet answers 503 and recovers by itself`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in try await Self.outage(of: cluster) }
    }

    private static func outage(of cluster: PrivateCluster) async throws {
        _ = try await Migrator(files: Wallet.sqlFiles, logger: .silent).migrate(url: cluster.url)
        let url = cluster.url.replacing("postgres@", with: "wallet_service@")
        var configuration = PoolConfiguration(url: url)
        configuration.acquireTimeout = .seconds(2)
        let pool = Pool(configuration: configuration, logger: .silent)
        let wallet = Wallet(pool: pool)
        // On a busy machine, opening the first connection may take longer than the acquire timeout.
        try await eventually("the wallet is ready") { await wallet.isReady() }
        #expect(await wallet.isReady())
        #expect(try await wallet.balance(of: .anna, in: .production).credits == 0)

        try await cluster.stop()
        #expect(await !wallet.isReady())
        for call in Self.calls(wallet) {
            let error = await #expect(throws: WalletError.self) { try await call() }
            #expect(error?.status == 503)
            #expect(error?.slug == "database-unavailable")
            #expect((error?.retryAfter ?? 0) > 0)
        }

        try await cluster.start()
        try await eventually("the wallet is ready") { await wallet.isReady() }
        #expect(try await wallet.balance(of: .anna, in: .production).credits == 0)
        #expect(try await wallet.violations().isEmpty)
        await pool.close()
    }

    private static func calls(_ wallet: Wallet) -> [() async throws -> Void] {
        [
            { _ = try await wallet.balance(of: .anna, in: .production) },
            { _ = try await wallet.packs() },
            { _ = try await wallet.classes(in: .production, page: PageRequest()) },
            { _ = try await wallet.book(BookingRequest(classID: "yoga"), for: .anna, in: .production, key: "k") },
            { _ = try await wallet.cancel(UUID(), for: .anna, in: .production) },
            { _ = try await wallet.sweep(limit: 1) },
        ]
    }
}
