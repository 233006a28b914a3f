import Postgres
import TestSupport
import Testing

/// Tests in which the suite's own server stops, freezes and restarts.
@Suite(.serialized) struct OutageTests {
    @Test(.timeLimit(.minutes(10))) func `a pool survives a restart of the server`() async throws {
        try await PrivateCluster.create().use { cluster in
            try await withPool(url: cluster.url) {
                $0.maximumConnections = 4
                $0.acquireTimeout = .seconds(3)
            } _: { pool in
                try await PoolTests.fill(pool, connections: 4)
                try await cluster.stop()
                let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                #expect(error?.code == .unavailable)
                try await cluster.start()
                try await PoolTests.warm(pool)
                for _ in 0..<10 { #expect(try await pool.query("SELECT 1").count == 1) }
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a server known to be down is reported within a second, and used once it is back`() async throws {
        try await PrivateCluster.create().use { cluster in
            try await withPool(url: cluster.url) {
                $0.acquireTimeout = .seconds(4)
            } _: { pool in
                try await PoolTests.fill(pool, connections: 4)
                try await cluster.stop()
                let first = await Self.times(of: 10, in: pool)
                // At most the time to wait for a connection, with much for a busy machine.
                #expect(first.allSatisfy { $0 < .seconds(15) })
                // A busy machine may need more than a second, but not each time.
                var quickest = Duration.seconds(60)
                for _ in 0..<20 where quickest >= .seconds(1) {
                    let next = await Self.times(of: 10, in: pool)
                    #expect(next.count == 10)
                    quickest = min(quickest, next.max() ?? quickest)
                }
                #expect(quickest < .seconds(1))
                try await cluster.start()
                try await PoolTests.warm(pool)
                for _ in 0..<10 { #expect(try await pool.query("SELECT 1").count == 1) }
            }
        }
    }

    /// Returns how long each of the statements takes to fail.
    private static func times(of count: Int, in pool: Pool) async -> [Duration] {
        await withTaskGroup(of: Duration.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await ContinuousClock().measure {
                        let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                        #expect(error?.code == .unavailable)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `statements wait for a short restart without an error`() async throws {
        try await PrivateCluster.create().use { cluster in
            try await withPool(url: cluster.url) {
                $0.acquireTimeout = .seconds(120)
            } _: { pool in
                try await pool.query("SELECT 1")
                try await cluster.stop()
                let waiting = (0..<20).map { _ in Task { try await pool.query("SELECT 1").count } }
                try await cluster.start()
                for task in waiting { #expect(try await task.value == 1) }
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `idle connections to the stopped server are not reused after the restart`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in
            try await withPool(url: cluster.url) {
                $0.acquireTimeout = .seconds(120)
            } _: { pool in
                try await PoolTests.fill(pool, connections: 8)
                try await cluster.stop()
                try await cluster.start()
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await pool.withTransaction { try await $0.query("SELECT 1").count } }
                        group.addTask { try await pool.query("SELECT 1").count }
                    }
                    for try await count in group { #expect(count == 1) }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a frozen server is unavailable in bounded time and used again later`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in
            try await withPool(url: cluster.url) {
                $0.maximumConnections = 2
                $0.acquireTimeout = .seconds(1)
                $0.connection.queryTimeout = .seconds(2)
                $0.connection.connectTimeout = .seconds(2)
            } _: { pool in
                try await PoolTests.fill(pool, connections: 2)
                try cluster.freeze()
                let took = await ContinuousClock().measure {
                    await withTaskGroup(of: PostgresError.Code?.self) { group in
                        for _ in 0..<10 {
                            group.addTask { await PostgresError.thrown { try await pool.query("SELECT 1") }?.code }
                        }
                        for await code in group { #expect(code == .unavailable || code == .overloaded) }
                    }
                }
                #expect(took < .seconds(20))
                let late = await PostgresError.thrown { try await pool.query("SELECT 1") }
                #expect(late?.code == .unavailable)
                try cluster.thaw()
                try await PoolTests.warm(pool)
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a statement that runs when the server stops is unavailable`() async throws {
        try await PrivateCluster.create().use { cluster in
            let (connection, other) = (try await Self.connect(to: cluster), try await Self.connect(to: cluster))
            let pid = try await connection.backendPID()
            let task = Task { try await connection.query("SELECT pg_sleep(30)") }
            try await other.waitUntilActive(pid)
            try await cluster.stop()
            let error = await PostgresError.thrown { _ = try await task.value }
            #expect(error?.code == .unavailable)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a commit that no standby confirms in time is unavailable and invisible`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in
            let other = try await Self.connect(to: cluster)
            try await other.query("CREATE TABLE things (id INTEGER PRIMARY KEY)")
            try await Self.waitForStandby(true, other, cluster)
            try await withPool(url: cluster.url) {
                // A busy machine may need seconds to prepare the statement.
                $0.connection.queryTimeout = .seconds(6)
            } _: { pool in
                let error = await PostgresError.thrown { try await pool.query("INSERT INTO things VALUES (1)") }
                #expect(error?.code == .unavailable)
                #expect(error?.isUnsent == false)
                #expect(pool.status.givenUp == 1)
                try await eventually { try await Self.waiting("INSERT", other) == 1 }
                #expect(try await pool.query("SELECT id FROM things", timeout: .seconds(60)).isEmpty)
                // The session keeps its locks: an insert of the same key waits for them and reaches the statement
                // timeout.
                let third = try await Self.connect(to: cluster) { $0.statementTimeout = .seconds(1) }
                let again = await PostgresError.thrown { try await third.query("INSERT INTO things VALUES (1)") }
                #expect(again?.code == .cancelled)
                try await Self.waitForStandby(false, other, cluster)
                try await eventually { try await other.query("SELECT id FROM things").count == 1 }
                try await eventually { pool.status.givenUp == 0 }
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `given-up connections are bounded, and further statements are refused at once`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in
            let other = try await Self.connect(to: cluster)
            try await other.query("CREATE TABLE things (id INTEGER PRIMARY KEY)")
            try await Self.waitForStandby(true, other, cluster)
            try await withPool(url: cluster.url) {
                $0.maximumConnections = 2
                $0.spareConnections = 1
                $0.acquireTimeout = .seconds(120)
                $0.connection.queryTimeout = .seconds(1)
                // Sends each insert at once, so that the server gets it even if preparing it would take too long.
                $0.connection.preparedStatements = false
            } _: { pool in
                for number in 0..<3 {
                    let error = await PostgresError.thrown {
                        try await pool.query("INSERT INTO things VALUES (\(number))")
                    }
                    #expect(error?.code == .unavailable)
                }
                #expect(pool.status.givenUp == 3)
                let took = await ContinuousClock().measure {
                    let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                    #expect(error?.code == .unavailable)
                }
                #expect(took < .seconds(30))
                try await Self.waitForStandby(false, other, cluster)
                try await eventually { pool.status.givenUp == 0 }
                #expect(try await pool.query("SELECT id FROM things", timeout: .seconds(60)).count == 3)
            }
        }
    }

    /// Makes commits wait for a standby that does not exist, or stops that.
    private static func waitForStandby(_ isNeeded: Bool, _ other: Connection, _ cluster: PrivateCluster) async throws {
        try await other.query(
            isNeeded
                ? "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
                : "ALTER SYSTEM RESET synchronous_standby_names"
        )
        try await other.query("SELECT pg_reload_conf()")
        try await eventually {
            let rows = try await other.query("SELECT current_setting('synchronous_standby_names') AS names")
            return try rows[0].decode("names", as: String.self).isEmpty != isNeeded
        }
        guard isNeeded else { return }
        // Sessions read the setting at once, but commits wait only after the checkpointer has read it, too.
        try await eventually {
            let probe = try await Self.connect(to: cluster) { $0.queryTimeout = .milliseconds(300) }
            defer { probe.close() }
            _ = try? await probe.query("SELECT pg_logical_emit_message(true, 'probe', '')")
            return try await Self.waiting("SELECT", other) > 0
        }
    }

    /// Returns how many commits of statements with this first word wait for a standby.
    private static func waiting(_ word: String, _ other: Connection) async throws -> Int {
        try await other.query(
            "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND starts_with(query, \(word))"
        ).count
    }

    private static func connect(
        to cluster: PrivateCluster,
        _ change: (inout ConnectionConfiguration) -> Void = { _ in }
    ) async throws -> Connection {
        var configuration = ConnectionConfiguration(patient: cluster.url)
        change(&configuration)
        return try await Connection.connect(configuration, logger: .silent)
    }
}
