import Logging
import Postgres
import TestSupport
import Testing

@testable import Wallet

/// Tests which reads a standby serves, and which position tokens clients get.
@Suite struct StandbysTests {
    private struct Pair {
        let primary: Pool
        let standby: Pool
        let cluster: PrivateCluster
        let replica: PrivateCluster
        let standbys: Standbys

        /// Runs a session; returns the number of rows on the standby, or nil if the standby served no read.
        func count(after token: String, isRead: Bool = true) async throws -> (count: Int?, token: String) {
            let session = ReadSession(after: token, isRead: isRead)
            let rows = await session.run { await self.standbys.rows(of: "SELECT FROM things") }
            if rows == nil { session.notePrimary() }
            return (rows?.count, await self.standbys.token(after: session))
        }

        /// Repeats a read until the standby serves it; one that is slow once rests for a second.
        func served(after token: String) async throws -> (count: Int?, token: String) {
            var read = try await self.count(after: token)
            try await eventually("the standby serves the read") {
                if read.count == nil { read = try await self.count(after: token) }
                return read.count != nil
            }
            return read
        }

        /// Records the primary's position, which must answer within a second.
        func keepUp() async {
            while (try? await self.standbys.keepUp()) == nil {}
        }

        /// Writes as a client does, and returns the client's position token.
        func write() async throws -> String {
            try await self.primary.query("INSERT INTO things VALUES (1)")
            return await self.standbys.token(after: ReadSession(after: "latest", isRead: false))
        }
    }

    private static func withPair(_ body: (Pair) async throws -> Void) async throws {
        let logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        try await PrivateCluster.create().use { cluster in
            try await cluster.standby().use { replica in
                let primary = Pool(configuration: PoolConfiguration(url: cluster.url), logger: logger)
                var configuration = PoolConfiguration(url: replica.url)
                configuration.acquireTimeout = .seconds(5)
                let standby = Pool(configuration: configuration, logger: logger)
                let standbys = Standbys(pool: standby, primary: primary, patience: .seconds(2))
                try await primary.query("CREATE TABLE things (id INTEGER)")
                // Opens the connection first, so that the tests do not measure its setup.
                try await eventually("the standby has the table") {
                    (try? await standby.query("SELECT FROM things")) != nil
                }
                try await body(
                    Pair(primary: primary, standby: standby, cluster: cluster, replica: replica, standbys: standbys)
                )
                await primary.close()
                await standby.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a standby serves clients that have seen no more than it has`() async throws {
        try await Self.withPair { pair in
            var token = try await pair.write()
            #expect(try await pair.count(after: token).count == nil, "nobody knows yet how far the primary is")
            await pair.keepUp()
            for number in 2...10 {
                token = try await pair.write()
                let read = try await pair.served(after: token)
                #expect(read.count == number)
                #expect(read.token >= token)
            }
            #expect(try await pair.count(after: "latest").count == nil)
            #expect(try await pair.count(after: "0").count == nil)
            #expect(try await pair.count(after: token, isRead: false).count == nil)
            #expect(await pair.standbys.rows(of: "SELECT 1") == nil, "who carries no token reads from the primary")
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a client that wrote reads from the primary until the standby has caught up`()
        async throws
    {
        try await Self.withPair { pair in
            let early = try await pair.write()
            await pair.keepUp()
            #expect(try await pair.served(after: early).count == 1)
            try await pair.standby.query("SELECT pg_wal_replay_pause()")
            try await eventually("the standby applies nothing") {
                let rows = try await pair.standby.query("SELECT pg_get_wal_replay_pause_state() AS state")
                return try rows[0].decode("state") == "paused"
            }
            let late = try await pair.write()
            let read = try await pair.count(after: late)
            #expect(read.count == nil)
            #expect(read.token >= late)
            #expect(try await pair.served(after: early).count == 1, "another client has not seen that yet")
            for _ in 1...10 { await pair.keepUp() }
            #expect(
                try await pair.count(after: early).count == nil,
                "what is older than ten seconds is shown to nobody"
            )
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a position that the primary never reached is corrected`() async throws {
        try await Self.withPair { pair in
            _ = try await pair.write()
            await pair.keepUp()
            let forged = "0000000F7FFFFFFFFFFFFFFF"
            let read = try await pair.count(after: forged)
            #expect(read.count == nil)
            #expect(read.token < forged)
            #expect(try await pair.served(after: read.token).count == 1)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `an unavailable standby is tried once a second and serves reads again after its return`() async throws {
        try await Self.withPair { pair in
            let token = try await pair.write()
            await pair.keepUp()
            #expect(try await pair.served(after: token).count == 1)
            try await pair.replica.stop()
            #expect(try await pair.count(after: token).count == nil)
            let took = try await quickest {
                for _ in 1...50 {
                    let session = ReadSession(after: token, isRead: true)
                    let rows = await session.run { await pair.standbys.rows(of: "SELECT FROM things") }
                    #expect(rows == nil)
                }
            }
            #expect(took < .seconds(1))
            try await pair.replica.start()
            #expect(try await pair.served(after: token).count == 1)
        }
    }
}
