import Foundation
import Postgres
import ServiceLifecycle
import TestSupport
import Testing

@Suite(.emptyDatabase) struct PoolTests {
    @Test func `the pool opens no more connections than allowed`() async throws {
        try await withPool {
            $0.maximumConnections = 3
            $0.acquireTimeout = .seconds(30)
        } _: { pool in
            // The gate opens only when three tasks have a connection at the same time.
            let gate = Gate(count: 3)
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await pool.withConnection { connection in
                            await gate.pass()
                            return try await connection.query("SELECT pg_backend_pid() AS pid")[0].decode("pid")
                        }
                    }
                }
                var sessions: Set<Int32> = []
                for try await session in group { sessions.insert(session) }
                #expect(sessions.count == 3)
            }
            #expect(pool.status == (idle: 3, leased: 0, givenUp: 0, waiting: 0))
        }
    }

    @Test func `connections are opened on demand`() async throws {
        try await withPool { pool in
            #expect(pool.status == (idle: 0, leased: 0, givenUp: 0, waiting: 0))
            for _ in 0..<5 { try await pool.query("SELECT 1") }
            #expect(pool.status == (idle: 1, leased: 0, givenUp: 0, waiting: 0))
        }
    }

    @Test func `a pinned connection runs all queries on one thread, and returns to the pool`() async throws {
        try await withPool { pool in
            try await Self.warm(pool)
            let seen = await pool.withPinnedConnection {
                var seen: Set<[Int]> = []
                for _ in 0..<3 {
                    let session: Int32? = try? await pool.query("SELECT pg_backend_pid() AS pid").first?.decode("pid")
                    seen.insert([Int(session ?? 0), Int(bitPattern: pthread_self())])
                }
                #expect(pool.status == (idle: 0, leased: 1, givenUp: 0, waiting: 0))
                return seen
            }
            #expect(seen.count == 1)
            #expect(seen.first?.first != 0)
            #expect(pool.status == (idle: 1, leased: 0, givenUp: 0, waiting: 0))
        }
    }

    @Test func `a lost pinned connection is replaced`() async throws {
        try await withPool { pool in
            try await Self.warm(pool)
            let error = await pool.withPinnedConnection {
                await PostgresError.thrown { try await pool.query("SELECT pg_terminate_backend(pg_backend_pid())") }
            }
            #expect(error != nil)
            let rows = await pool.withPinnedConnection { (try? await pool.query("SELECT 1"))?.count }
            #expect(rows == 1)
            let others = await pool.withPinnedConnection {
                let first = await PostgresError.thrown {
                    try await pool.query("SELECT pg_terminate_backend(pg_backend_pid())")
                }
                let second = (try? await pool.query("SELECT 1"))?.count
                return first != nil && second == 1
            }
            #expect(others)
        }
    }

    @Test func `without an idle connection, a pinned task shares connections with the others`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            let rows = await pool.withPinnedConnection { (try? await pool.query("SELECT 1"))?.count }
            #expect(rows == 1)
            try await pool.withConnection { _ in
                #expect(await pool.withPinnedConnection { pool.status.leased } == 1)
            }
        }
    }

    @Test func `a caller that waits too long gets the overloaded error`() async throws {
        try await withPool {
            $0.maximumConnections = 1
            $0.acquireTimeout = .milliseconds(500)
        } _: { pool in
            try await Self.warm(pool)
            try await pool.withConnection { _ in
                let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                #expect(error?.code == .overloaded)
            }
            #expect(try await pool.query("SELECT 1").count == 1)
        }
    }

    @Test func `a waiter beyond the limit is refused at once`() async throws {
        try await withPool {
            $0.maximumConnections = 1
            $0.maximumWaiters = 2
            $0.acquireTimeout = .seconds(120)
        } _: { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await pool.withConnection { _ in
                    for _ in 0..<2 { group.addTask { try await pool.query("SELECT 1") } }
                    try await eventually { pool.status.waiting == 2 }
                    let took = await ContinuousClock().measure {
                        let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                        #expect(error?.code == .overloaded)
                    }
                    #expect(took < .seconds(30))
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a cancelled waiter leaves the queue and loses no connection`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            try await pool.withConnection { _ in
                let waiter = Task { try await pool.query("SELECT 1") }
                try await eventually { pool.status.waiting == 1 }
                waiter.cancel()
                let error = await PostgresError.thrown { _ = try await waiter.value }
                #expect(error?.code == .cancelled)
                #expect(pool.status.waiting == 0)
            }
            #expect(pool.status == (idle: 1, leased: 0, givenUp: 0, waiting: 0))
        }
    }

    @Test func `a task that is already cancelled does not wait`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            try await pool.withConnection { _ in
                let waiter = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return try await pool.query("SELECT 1")
                }
                waiter.cancel()
                let error = await PostgresError.thrown { _ = try await waiter.value }
                #expect(error?.code == .cancelled)
            }
        }
    }

    @Test func `concurrent cancellations and returns lose no connection`() async throws {
        try await withPool {
            $0.maximumConnections = 2
        } _: { pool in
            for _ in 0..<20 {
                let tasks = (0..<30).map { _ in Task { try await pool.query("SELECT 1") } }
                for (index, task) in tasks.enumerated() where index % 2 == 0 { task.cancel() }
                for (index, task) in tasks.enumerated() {
                    let result = await task.result
                    if index % 2 == 1 { #expect(throws: Never.self) { try result.get() } }
                }
            }
            #expect(pool.status.leased == 0 && pool.status.waiting == 0)
        }
    }

    @Test func `waiters are served in order of arrival`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            let order = Journal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await pool.withConnection { _ in
                    for number in 0..<10 {
                        group.addTask {
                            try await pool.withConnection { _ in await order.append(number) }
                        }
                        try await eventually { pool.status.waiting == number + 1 }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await order.entries == Array(0..<10))
        }
    }

    @Test func `a transaction left open is rolled back when its connection returns`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            try await pool.query("CREATE TABLE left_open (n int)")
            try await pool.withConnection { connection in
                try await connection.execute(script: "BEGIN; INSERT INTO left_open VALUES (1)")
            }
            #expect(try await pool.query("SELECT * FROM left_open").isEmpty)
            #expect(pool.status == (idle: 1, leased: 0, givenUp: 0, waiting: 0))
        }
    }

    @Test func `terminated sessions are replaced without an error`() async throws {
        try await withPool {
            $0.maximumConnections = 4
            $0.connection.applicationName = "terminated"
        } _: { pool in
            try await Self.fill(pool, connections: 4)
            let other = try await connect()
            try await other.query(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'terminated'
                """
            )
            for _ in 0..<10 { #expect(try await pool.query("SELECT 1").count == 1) }
            #expect(try await pool.withTransaction { try await $0.query("SELECT 1").count } == 1)
        }
    }

    @Test func `a pool without a server fails in time`() async throws {
        try await withPool(url: "postgresql://nobody@127.0.0.1:1/none") {
            $0.acquireTimeout = .seconds(6)
        } _: { pool in
            let took = await ContinuousClock().measure {
                let error = await PostgresError.thrown { try await pool.query("SELECT 1") }
                #expect(error?.code == .unavailable)
                #expect(error?.message?.contains("refused") == true)
            }
            #expect(took < .seconds(20))
        }
    }

    @Test func `shutdown completes running work and refuses new work`() async throws {
        var configuration = PoolConfiguration(url: try TestDatabase.current.url)
        configuration.connection = ConnectionConfiguration(patient: configuration.connection.url)
        configuration.minimumConnections = 2
        let pool = Pool(configuration: configuration, logger: .silent)
        let group = ServiceGroup(configuration: .init(services: [.init(service: pool)], logger: .silent))
        let running = Task { try await group.run() }
        try await eventually { pool.status.idle == 2 }
        let other = try await connect()
        try await other.query("SELECT pg_advisory_lock(1)")
        // This work waits for the lock until the other session ends.
        let work = Task { try await pool.query("SELECT pg_advisory_lock(1), 7 AS n")[0].decode("n", as: Int.self) }
        try await eventually { pool.status.leased == 1 }
        await group.triggerGracefulShutdown()
        try await eventually { pool.status.idle == 0 }
        let refused = await PostgresError.thrown { try await pool.query("SELECT 1") }
        #expect(refused?.code == .closed)
        other.close()
        #expect(try await work.value == 7)
        try await running.value
        #expect(pool.status == (idle: 0, leased: 0, givenUp: 0, waiting: 0))
    }

    @Test func `a connection rests after its use while the preferred pool has work`() async throws {
        try await withPool { preferred in
            try await withPool(yieldingTo: preferred, { $0.maximumConnections = 1 }) { pool in
                try await Self.warm(pool)
                #expect(pool.status == (idle: 1, leased: 0, givenUp: 0, waiting: 0))
                let start = ContinuousClock.now
                try await preferred.withConnection { _ in
                    for _ in 0..<2 { try await pool.query("SELECT pg_sleep(0.1)") }
                }
                // 0.1 s of work, 0.3 s of rest, and 0.1 s of work.
                #expect(start.duration(to: .now) >= .milliseconds(500))
                try await eventually { pool.status.idle == 1 }
            }
        }
    }

    @Test func `upkeep closes idle connections down to the minimum`() async throws {
        var configuration = PoolConfiguration(url: try TestDatabase.current.url)
        configuration.minimumConnections = 1
        configuration.maximumConnections = 4
        configuration.idleTimeout = .milliseconds(200)
        let pool = Pool(configuration: configuration, logger: .silent)
        try await Self.fill(pool, connections: 4)
        #expect(pool.status.idle == 4)
        let running = Task { try await pool.run() }
        try await eventually { pool.status.idle == 1 }
        running.cancel()
        try await running.value
        #expect(pool.status.idle == 0)
    }

    /// Queries until the server responds, since a busy machine may take long.
    static func warm(_ pool: Pool) async throws {
        try await eventually {
            do {
                return try await pool.query("SELECT 1").count == 1
            } catch is PostgresError {
                return false
            }
        }
    }

    /// Opens the given number of connections, for which a busy machine may need several attempts.
    static func fill(_ pool: Pool, connections: Int) async throws {
        try await eventually {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<connections { group.addTask { _ = try? await pool.query("SELECT pg_sleep(0.2)") } }
            }
            return pool.status.idle >= connections
        }
    }
}
