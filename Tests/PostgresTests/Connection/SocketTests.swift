import Foundation
import Postgres
import TestSupport
import Testing

/// Tests of waiting for the server's socket.
@Suite(.serialized) struct SocketTests {
    @Test(.timeLimit(.minutes(10)), arguments: ["disable", "require"])
    func `results and scripts of any size arrive, with TLS and without it`(mode: String) async throws {
        try await Self.withEncryptedCluster { cluster, _ in
            let connection = try await Connection.connect(
                ConnectionConfiguration(url: cluster.url + "?sslmode=\(mode)"),
                logger: .silent
            )
            let encrypted = try await connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            #expect(try encrypted[0].decode("ssl", as: Bool.self) == (mode == "require"))
            // These sizes cross the limits of libpq's buffer and of an encrypted record.
            for size in [1, 8_000, 16_000, 16_300, 16_384, 17_000, 32_768, 65_536, 300_000, 5_000_000] {
                let text = String(repeating: "x", count: size)
                let rows = try await connection.query(
                    "SELECT \(text) AS text FROM generate_series(1, 3)",
                    timeout: .seconds(60)
                )
                #expect(try rows.allSatisfy { try $0.decode("text", as: String.self) == text })
                try await connection.execute(
                    script: String(repeating: "SELECT repeat('y', \(size));", count: 5),
                    timeout: .seconds(60)
                )
            }
            let mixed = "DO $$ BEGIN FOR i IN 1..2000 LOOP RAISE NOTICE 'notice %', i; END LOOP; END $$; SELECT 1;"
            try await connection.execute(script: String(repeating: mixed, count: 5), timeout: .seconds(60))
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["disable", "require"])
    func `a killed server is noticed without a statement`(mode: String) async throws {
        try await Self.withEncryptedCluster { cluster, other in
            let connection = try await Connection.connect(
                ConnectionConfiguration(url: cluster.url + "?sslmode=\(mode)"),
                logger: .silent
            )
            let pid = try await connection.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
            #expect(kill(pid, SIGKILL) == 0)
            try await eventually { !connection.isUsable && !other.isUsable }
            let error = await PostgresError.thrown { try await connection.query("SELECT 1") }
            #expect(error?.code == .unavailable && error?.isUnsent == true)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a server that does not read a long statement is given up at the deadline`() async throws {
        try await Self.withEncryptedCluster { cluster, connection in
            try cluster.freeze()
            let data = Data(repeating: 1, count: 50_000_000)
            let took = await ContinuousClock().measure {
                let error = await PostgresError.thrown {
                    try await connection.query("SELECT length(\(data))", timeout: .seconds(1))
                }
                #expect(error?.isGivenUp == true)
            }
            #expect(took < .seconds(10))
            #expect(!connection.isUsable)
            try cluster.thaw()
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a server that keeps sending messages is given up at the deadline`()
        async throws
    {
        try await Self.withEncryptedCluster { _, connection in
            let took = await ContinuousClock().measure {
                let error = await PostgresError.thrown {
                    try await connection.query(
                        """
                        DO $$ BEGIN
                            FOR i IN 1..2000 LOOP RAISE NOTICE 'notice %', i; PERFORM pg_sleep(0.005); END LOOP;
                        END $$
                        """,
                        timeout: .milliseconds(500)
                    )
                }
                #expect(error?.isGivenUp == true)
            }
            #expect(took < .seconds(8))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a server that sends rows without a pause is given up at the deadline`() async throws {
        try await Self.withEncryptedCluster { _, connection in
            let error = await PostgresError.thrown {
                try await connection.query(
                    "SELECT repeat('x', 1000) FROM generate_series(1, 200000)",
                    timeout: .milliseconds(50)
                )
            }
            #expect(error?.isGivenUp == true)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a closed connection completes the running statement and refuses the waiting ones`() async throws {
        try await Self.withEncryptedCluster { _, connection in
            let running = Task { try await connection.query("SELECT pg_sleep(1), 7 AS n")[0].decode("n", as: Int.self) }
            try await Task.sleep(for: .milliseconds(300))
            let waiting = (0..<5).map { _ in Task { try await connection.query("SELECT 1").count } }
            try await Task.sleep(for: .milliseconds(300))
            connection.close()
            for task in waiting {
                let error = await PostgresError.thrown { _ = try await task.value }
                #expect(error?.code == .closed && error?.isUnsent == true)
            }
            #expect(try await running.value == 7)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `the server's sessions end with their connections`() async throws {
        try await Self.withEncryptedCluster { cluster, other in
            for round in 0..<20 {
                let connection = try await Connection.connect(
                    ConnectionConfiguration(url: cluster.url),
                    logger: .silent
                )
                try await connection.query("SELECT 1")
                // Half of the connections are closed, and the others only released.
                if round % 2 == 0 { connection.close() }
            }
            try await eventually {
                let sessions: Query = "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend'"
                return try await other.query(sessions).count == 1
            }
        }
    }

    /// Runs the body with a cluster that accepts TLS, and with a connection to it.
    private static func withEncryptedCluster(_ body: (PrivateCluster, Connection) async throws -> Void) async throws {
        let cluster = try await PrivateCluster.create()
        do {
            let connection = try await Connection.connect(ConnectionConfiguration(url: cluster.url), logger: .silent)
            // The program runs as the server's user in the folder of the server.
            let program = """
                openssl req -new -x509 -nodes -batch -subj /CN=localhost -newkey rsa:2048 \
                -keyout server.key -out server.crt 2>/dev/null && chmod 600 server.key
                """
            try await connection.query("COPY (SELECT WHERE false) TO PROGRAM '\(unescaped: program)'")
            try await connection.query("ALTER SYSTEM SET ssl = on")
            try await connection.query("SELECT pg_reload_conf()")
            try await eventually {
                let encrypted = ConnectionConfiguration(url: cluster.url + "?sslmode=require")
                return (try? await Connection.connect(encrypted, logger: .silent)) != nil
            }
            try await body(cluster, connection)
        } catch {
            try await cluster.remove()
            throw error
        }
        try await cluster.remove()
    }
}
