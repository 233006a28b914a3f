import Postgres
import TestSupport
import Testing

/// Tests of a standby's replay position, and of reads that require a position.
@Suite struct PositionTests {
    private static func withPair(
        _ body: (_ primary: Pool, _ standby: Pool, _ replica: PrivateCluster) async throws -> Void
    ) async throws {
        try await PrivateCluster.create().use { cluster in
            try await cluster.standby().use { replica in
                try await withPool(url: cluster.url) { primary in
                    try await withPool(url: replica.url) { standby in try await body(primary, standby, replica) }
                }
            }
        }
    }

    /// Asks a standby again if it took too long to say how far it is.
    private static func ask(
        _ standby: Pool,
        _ query: Query,
        at position: WALPosition,
        within limit: Duration
    ) async throws -> (rows: [Row], position: WALPosition)? {
        var answer: (rows: [Row], position: WALPosition)?
        try await eventually("the standby answers") {
            do {
                answer = try await standby.query(query, at: position, within: limit)
                return true
            } catch {
                return false
            }
        }
        return answer
    }

    @Test func `a later position has the greater text`() throws {
        let positions = [(1, 0), (1, 9), (1, 16), (1, 1 << 40), (2, 5), (17, 4)].map {
            WALPosition(timeline: $0.0, bytes: $0.1)
        }
        #expect(positions.map(\.text) == positions.map(\.text).sorted())
        #expect(positions == positions.sorted())
        #expect(positions.map(\.text).compactMap(WALPosition.init(text:)) == positions)
        #expect(positions[2].text == "000000010000000000000010")
    }

    @Test(arguments: [
        "", "latest", "0", "00000001000000000000001", "0000000100000000000000100", "00000001000000000000001a",
        "0000000100000000000000 1", "+0000001+00000000000001", "-00000010000000000000010", "FFFFFFFF0000000000000010",
        "00000001FFFFFFFFFFFFFFFF", "00000001é0000000000000",
    ])
    func `invalid text is not a position`(text: String) {
        #expect(WALPosition(text: text) == nil)
    }

    @Test(.timeLimit(.minutes(10))) func `a standby answers only after it has replayed the requested position`()
        async throws
    {
        try await Self.withPair { primary, standby, _ in
            try await primary.query("CREATE TABLE things (id INTEGER)")
            var before: WALPosition?
            for id in 1...20 {
                try await primary.query("INSERT INTO things VALUES (\(Int32(id)))")
                let written = try await primary.position(within: .seconds(60))
                let answer = try await Self.ask(standby, "SELECT id FROM things", at: written, within: .seconds(60))
                let (rows, seen) = try #require(answer)
                #expect(rows.count == id)
                #expect(seen >= written)
                before = written
            }
            try await standby.query("SELECT pg_wal_replay_pause()")
            try await eventually {
                try await standby.query("SELECT pg_get_wal_replay_pause_state() AS state")[0].decode("state")
                    == "paused"
            }
            try await primary.query("INSERT INTO things VALUES (21)")
            let after = try await primary.position(within: .seconds(60))
            #expect(try await Self.ask(standby, "SELECT", at: after, within: .milliseconds(50)) == nil)
            let early = try await Self.ask(standby, "SELECT FROM things", at: try #require(before), within: .zero)
            #expect(early?.rows.count == 20)
            #expect(standby.status.leased == 0)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `after a promotion, positions of the old primary are lower`() async throws {
        try await Self.withPair { primary, standby, replica in
            let old = try await primary.position(within: .seconds(60))
            #expect(try await Self.ask(standby, "SELECT 1", at: old, within: .seconds(60)) != nil)
            try await primary.query("SELECT pg_switch_wal()")
            let lost = try await primary.position(within: .seconds(60))
            try await replica.promote()
            let error = await PostgresError.thrown {
                _ = try await standby.query("SELECT 1", at: old, within: .zero)
            }
            #expect(error?.code == .unavailable)
            #expect(standby.status == (idle: 0, leased: 0, givenUp: 0, waiting: 0))
            let new = try await standby.position(within: .seconds(60))
            #expect(new.timeline == old.timeline + 1)
            #expect(new > lost)
        }
    }
}
