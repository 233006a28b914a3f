import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct TransactionTests {
    @Test func `a body that returns commits and a body that throws rolls back`() async throws {
        struct Stop: Error {}
        try await withPool { pool in
            try await pool.query("CREATE TABLE kept (n int)")
            let value = try await pool.withTransaction { connection in
                try await connection.query("INSERT INTO kept VALUES (1)")
                return "done"
            }
            #expect(value == "done")
            await #expect(throws: Stop.self) {
                try await pool.withTransaction { connection in
                    try await connection.query("INSERT INTO kept VALUES (2)")
                    throw Stop()
                }
            }
            #expect(try await pool.query("SELECT n FROM kept").map { try $0.decode("n", as: Int.self) } == [1])
        }
    }

    @Test func `an error that the body ignores does not count as a commit`() async throws {
        try await withPool { pool in
            try await pool.query("CREATE TABLE ignored (n int)")
            let error = await PostgresError.thrown {
                try await pool.withTransaction { connection in
                    try await connection.query("INSERT INTO ignored VALUES (1)")
                    _ = try? await connection.query("SELECT 1 / 0")
                }
            }
            #expect(error?.code == .internal)
            #expect(try await pool.query("SELECT * FROM ignored").isEmpty)
        }
    }

    @Test func `a read-only transaction sees one snapshot and writes nothing`() async throws {
        try await withPool { pool in
            try await pool.query("CREATE TABLE seen (n int)")
            try await pool.withTransaction(.repeatableRead, isReadOnly: true) { connection in
                #expect(try await connection.query("SELECT * FROM seen").isEmpty)
                try await pool.query("INSERT INTO seen VALUES (1)")
                #expect(try await connection.query("SELECT * FROM seen").isEmpty)
            }
            #expect(try await pool.query("SELECT * FROM seen").count == 1)
        }
    }

    @Test func `two transactions that deadlock both succeed`() async throws {
        try await withPool { pool in
            try await pool.withConnection {
                try await $0.execute(
                    script: "CREATE TABLE dead (id int PRIMARY KEY, n int); INSERT INTO dead VALUES (1, 0), (2, 0)"
                )
            }
            let attempts = Journal()
            let gate = Gate(count: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for order in [[1, 2], [2, 1]] {
                    group.addTask {
                        try await pool.withTransaction { connection in
                            await attempts.append(1)
                            try await connection.query("UPDATE dead SET n = n + 1 WHERE id = \(order[0])")
                            await gate.pass()
                            try await connection.query("UPDATE dead SET n = n + 1 WHERE id = \(order[1])")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await attempts.entries.count == 3)
            #expect(try await pool.query("SELECT n FROM dead").allSatisfy { try $0.decode("n", as: Int.self) == 2 })
        }
    }

    @Test func `two transactions that write one row from the same snapshot both succeed`() async throws {
        try await withPool { pool in
            try await pool.withConnection {
                try await $0.execute(script: "CREATE TABLE counter (n int); INSERT INTO counter VALUES (0)")
            }
            let attempts = Journal()
            let gate = Gate(count: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await pool.withTransaction(.repeatableRead) { connection in
                            await attempts.append(1)
                            let n = try await connection.query("SELECT n FROM counter")[0].decode("n", as: Int.self)
                            await gate.pass()
                            try await connection.query("UPDATE counter SET n = \(n + 1)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await pool.query("SELECT n FROM counter")[0].decode("n", as: Int.self) == 2)
            #expect(await attempts.entries.count == 3)
        }
    }

    @Test(arguments: ["40001", "40P01"])
    func `a statement that the server aborted is retried, within a limit`(sqlState: String) async throws {
        try await withPool {
            $0.maximumRetries = 3
        } _: { pool in
            let name = "undone_" + sqlState.lowercased()
            try await pool.withConnection {
                try await $0.execute(
                    script: """
                        CREATE SEQUENCE \(name);
                        CREATE FUNCTION \(name)(p_until int) RETURNS bigint LANGUAGE plpgsql AS $$
                        DECLARE v_try bigint := nextval('\(name)');
                        BEGIN
                            IF v_try < p_until THEN RAISE EXCEPTION USING ERRCODE = '\(sqlState)'; END IF;
                            RETURN v_try;
                        END $$
                        """
                )
            }
            let rows = try await pool.query("SELECT \(unescaped: name)(\(Int32(4))) AS tries")
            #expect(try rows[0].decode("tries", as: Int.self) == 4)
            let error = await PostgresError.thrown { try await pool.query("SELECT \(unescaped: name)(\(Int32(100)))") }
            #expect(error?.code == .serialization)
            let last = try await pool.query("SELECT last_value AS n FROM \(identifier: name)")[0].decode(
                "n",
                as: Int.self
            )
            #expect(last == 8)
        }
    }

    @Test func `a refusal is not retried`() async throws {
        try await withPool { pool in
            let attempts = Journal()
            let error = await PostgresError.thrown {
                try await pool.withTransaction { connection in
                    await attempts.append(1)
                    try await connection.execute(script: "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'WL409'; END $$")
                }
            }
            #expect(error?.code == .refused)
            #expect(await attempts.entries.count == 1)
        }
    }

    @Test func `a plan that changes during a transaction makes it run again`() async throws {
        try await withPool {
            $0.maximumConnections = 1
        } _: { pool in
            try await pool.withConnection {
                try await $0.execute(script: "CREATE TABLE moving (a int); INSERT INTO moving VALUES (1)")
            }
            try await pool.query("SELECT * FROM moving")
            let other = try await connect()
            try await other.execute(script: "ALTER TABLE moving ADD COLUMN b int")
            let columns = try await pool.withTransaction { try await $0.query("SELECT * FROM moving")[0].count }
            #expect(columns == 2)
        }
    }
}

/// Blocks tasks until a number of them have arrived, and then lets all pass.
actor Gate {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) {
        self.missing = count
    }

    func pass() async {
        self.missing -= 1
        guard self.missing > 0 else {
            for continuation in self.waiting { continuation.resume() }
            self.waiting = []
            return
        }
        await withCheckedContinuation { self.waiting.append($0) }
    }
}
