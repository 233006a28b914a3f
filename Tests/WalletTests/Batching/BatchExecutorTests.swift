import Postgres
import TestSupport
import Testing

@testable import Wallet

/// Items that a batch leaves undecided wait in a bounded queue for a bounded time.
@Suite(.database) struct BatchExecutorTests {
    /// An item that every batch leaves undecided, and whose separate statement takes 3 s.
    private struct SlowItem: BatchItem {
        static func batch(_ items: [SlowItem]) throws -> Query {
            "SELECT '40001' AS state, NULL AS message, NULL AS detail FROM generate_series(1, \(Int32(items.count)))"
        }

        func alone() throws -> Query { "SELECT pg_sleep(3)::text AS slept" }

        static func outcome(in row: Row) throws -> Bool { true }
    }

    private static func outcomes(
        of count: Int,
        _ configuration: BatchingConfiguration
    ) async throws -> [Result<Bool, WalletError>] {
        let pool = Pool(
            configuration: PoolConfiguration(url: try TestDatabase.current.serviceURL),
            logger: .silent
        )
        let executor = BatchExecutor<SlowItem>(pool: pool, configuration: configuration)
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            let outcomes = await executor.decideAll(Array(repeating: SlowItem(), count: count))
            group.cancelAll()
            return outcomes
        }
    }

    @Test func `undecided items wait no longer than the configured patience for earlier ones`() async throws {
        let configuration = BatchingConfiguration(patience: .seconds(2))
        let outcomes = try await Self.outcomes(of: 2, configuration)
        #expect(outcomes == [.success(true), .failure(.overloaded)])
    }

    @Test func `the queue of undecided items does not exceed its limit`() async throws {
        let outcomes = try await Self.outcomes(of: 3, BatchingConfiguration(queueLimit: 2))
        #expect(outcomes == [.success(true), .success(true), .failure(.overloaded)])
    }
}
