import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct ConnectionTests {
    @Test func `a statement is prepared once and reused`() async throws {
        let connection = try await connect()
        for number in 0..<5 { try await connection.query("SELECT \(number)") }
        #expect(try await Self.prepared(connection) == ["SELECT $1"])
    }

    @Test func `the least used statements are removed first`() async throws {
        let connection = try await connect { $0.maximumPreparedStatements = 3 }
        for number in 0..<10 {
            try await connection.query(Query(unsafeSQL: "SELECT \(number)"))
            try await connection.query("SELECT 'often'")
        }
        let prepared = try await Self.prepared(connection)
        #expect(prepared.count <= 3 && prepared.contains("SELECT 'often'"))
    }

    @Test func `without prepared statements the server keeps none`() async throws {
        let connection = try await connect { $0.preparedStatements = false }
        for number in 0..<3 {
            let rows = try await connection.query(
                "SELECT \(number) AS n, \([number]) AS a, \(String?.none) IS NULL AS x"
            )
            #expect(try rows[0].decode("n", as: Int.self) == number)
        }
        #expect(try await Self.prepared(connection).isEmpty)
    }

    @Test func `a plan whose result changed is prepared again`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        try await connection.execute(script: "CREATE TABLE shape (a int); INSERT INTO shape VALUES (1)")
        #expect(try await connection.query("SELECT * FROM shape")[0].count == 1)
        try await other.execute(script: "ALTER TABLE shape ADD COLUMN b int")
        #expect(try await connection.query("SELECT * FROM shape")[0].count == 2)
    }

    @Test func `a plan whose result changed fails inside a transaction once only`() async throws {
        let connection = try await connect()
        try await connection.execute(script: "CREATE TABLE form (a int); INSERT INTO form VALUES (1)")
        try await connection.query("SELECT * FROM form")
        try await connection.execute(script: "ALTER TABLE form ADD COLUMN b int")
        try await connection.execute(script: "BEGIN")
        let error = await PostgresError.thrown { try await connection.query("SELECT * FROM form") }
        #expect(error?.sqlState == "0A000")
        try await connection.execute(script: "ROLLBACK")
        #expect(try await connection.query("SELECT * FROM form")[0].count == 2)
    }

    @Test func `a statement that the server no longer has is prepared again`() async throws {
        let connection = try await connect()
        try await connection.query("SELECT \(1)")
        try await connection.execute(script: "DEALLOCATE ALL")
        #expect(try await connection.query("SELECT \(2)").count == 1)
    }

    @Test func `statements of many tasks run one after the other, each with its own result`() async throws {
        let connection = try await connect()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { try await connection.query("SELECT \(number) AS n")[0].decode("n") == number }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test func `a statement past its deadline is not cancelled, and its connection is given up`() async throws {
        // The statement is sent at once: its preparation alone could take longer than the deadline.
        let connection = try await connect { $0.preparedStatements = false }
        let other = try await connect()
        try await other.execute(script: "CREATE TABLE late (id INTEGER)")
        let error = await PostgresError.thrown {
            try await connection.query(
                "WITH pause AS (SELECT pg_sleep(10)) INSERT INTO late SELECT 1 FROM pause",
                timeout: .milliseconds(300)
            )
        }
        #expect(error?.code == .unavailable && error?.sqlState == nil && error?.isUnsent == false)
        #expect(try await other.query("SELECT id FROM late").isEmpty, "the deadline is before the statement's end")
        #expect(!connection.isUsable)
        let after = await PostgresError.thrown { try await connection.query("SELECT 1") }
        #expect(after?.code == .unavailable)
        try await eventually { try await other.query("SELECT id FROM late").count == 1 }
    }

    @Test func `the server's own statement timeout leaves the connection usable`() async throws {
        let connection = try await connect { $0.statementTimeout = .milliseconds(500) }
        let error = await PostgresError.thrown { try await connection.query("SELECT pg_sleep(30)") }
        #expect(error?.code == .cancelled)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func `no session settings are sent through a transaction pooler`() async throws {
        let connection = try await connect {
            $0.statementTimeout = .milliseconds(100)
            $0.preparedStatements = false
        }
        let rows = try await connection.query("SELECT current_setting('statement_timeout') AS value")
        #expect(try rows[0].decode("value", as: String.self) == "0")
    }

    @Test func `a cancelled task still gets the result of its statement`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        let pid = try await connection.backendPID()
        try await other.query("SELECT pg_advisory_lock(1)")
        let task = Task {
            try await connection.query("SELECT pg_advisory_lock(1), 7 AS n")[0].decode("n", as: Int.self)
        }
        try await other.waitUntilActive(pid)
        task.cancel()
        try await other.query("SELECT pg_advisory_unlock(1)")
        #expect(try await task.value == 7)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func `COPY is refused and does not hang`() async throws {
        let connection = try await connect()
        let error = await PostgresError.thrown { try await connection.execute(script: "COPY (SELECT 1) TO STDOUT") }
        #expect(error?.code == .internal)
        #expect(!connection.isUsable)
    }

    @Test func `a terminated session is noticed without a statement`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        let pid = try await connection.backendPID()
        try await other.query("SELECT pg_terminate_backend(\(pid))")
        try await eventually { !connection.isUsable }
    }

    @Test func `a session terminated during a statement counts as unavailable`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        let pid = try await connection.backendPID()
        let task = Task { try await connection.query("SELECT pg_sleep(30)") }
        try await other.waitUntilActive(pid)
        try await other.query("SELECT pg_terminate_backend(\(pid))")
        let error = await PostgresError.thrown { _ = try await task.value }
        #expect(error?.code == .unavailable)
        #expect(!connection.isUsable)
    }

    @Test func `a closed connection refuses statements`() async throws {
        let connection = try await connect()
        connection.close()
        let error = await PostgresError.thrown { try await connection.query("SELECT 1") }
        #expect(error?.code == .closed)
    }

    @Test(arguments: ["postgresql://nobody@127.0.0.1:1/none", "postgresql://[broken", "nonsense=1"])
    func `an unreachable server is unavailable, with a reason and no password`(url: String) async throws {
        let error = try #require(
            await PostgresError.thrown {
                _ = try await Connection.connect(ConnectionConfiguration(url: url), logger: .silent)
            }
        )
        #expect(error.code == .unavailable)
        #expect(error.message?.isEmpty == false)
    }

    @Test func `the application's name is the configured one unless the URL sets another`() async throws {
        let connection = try await connect { $0.applicationName = "wallet tests" }
        let name: Query = "SELECT current_setting('application_name') AS name"
        #expect(try await connection.query(name)[0].decode("name", as: String.self) == "wallet tests")
        let named = try await connect { $0.url += ($0.url.contains("?") ? "&" : "?") + "application_name=named" }
        #expect(try await named.query(name)[0].decode("name", as: String.self) == "named")
    }

    private static func prepared(_ connection: Connection) async throws -> [String] {
        let lister: Query = "SELECT statement FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_prepared%'"
        return try await connection.query(lister).map { try $0.decode("statement") }
    }
}
