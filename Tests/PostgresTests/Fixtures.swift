import Logging
import Postgres
import TestSupport
import Testing

extension Logger {
    /// A logger that discards its messages.
    static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

/// Opens a connection to the suite's database.
func connect(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) async throws -> Connection {
    var configuration = ConnectionConfiguration(patient: try TestDatabase.current.url)
    change(&configuration)
    return try await Connection.connect(configuration, logger: .silent)
}

/// Creates a pool, runs the body with it, and closes it.
func withPool<T>(
    url: String? = nil,
    yieldingTo preferred: Pool? = nil,
    _ change: (inout PoolConfiguration) -> Void = { _ in },
    _ body: (Pool) async throws -> T
) async throws -> T {
    let url = try url ?? TestDatabase.current.url
    var configuration = PoolConfiguration(url: url)
    configuration.connection = ConnectionConfiguration(patient: url)
    configuration.acquireTimeout = .seconds(60)
    change(&configuration)
    let pool = Pool(configuration: configuration, logger: .silent, yieldingTo: preferred)
    do {
        let value = try await body(pool)
        await pool.close()
        return value
    } catch {
        await pool.close()
        throw error
    }
}

extension PostgresError {
    /// Returns the error that the operation throws; the test fails if it throws another error or none.
    static func thrown(
        sourceLocation: SourceLocation = #_sourceLocation,
        by work: () async throws -> Void
    ) async -> PostgresError? {
        await #expect(throws: PostgresError.self, sourceLocation: sourceLocation) { try await work() }
    }
}

extension Connection {
    /// Returns the process id of the server's side of this connection.
    func backendPID() async throws -> Int32 {
        try await self.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
    }

    /// Waits until another connection runs a statement.
    func waitUntilActive(_ pid: Int32) async throws {
        try await eventually("the statement runs") {
            try await self.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active'").count == 1
        }
    }
}

/// Records numbers in the order of their arrival.
actor Journal {
    private(set) var entries: [Int] = []

    func append(_ entry: Int) {
        self.entries.append(entry)
    }
}
