import Crypto
import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Recomputes the hash chain without the database.
@Suite(.serialized) struct HashChainTests {
    @Test func `every hash chain of a walked database matches its entries`() async throws {
        try await withWalkDatabase { database in
            for seed in UInt64(9_001)...9_012 {
                var driver = try await WalkDriver(seed: seed, database)
                try await driver.walk(steps: 60)
            }
            let rows = try await database.root.query(
                """
                SELECT e.*, e.environment::text AS environment_text, e.unit::text AS unit_text, w.head_hash,
                    w.version AS head_version, (extract(EPOCH FROM e.at) * 1000000)::bigint - 946684800000000 AS micros
                FROM wallet.entries AS e
                INNER JOIN wallet.wallets AS w ON e.account_id = w.account_id AND e.environment = w.environment
                ORDER BY e.account_id, e.environment, e.version
                """
            )
            #expect(rows.count > 200)
            var previous = Data()
            for row in rows {
                let version: Int64 = try row.decode("version")
                if version == 1 { previous = Data(count: 32) }
                #expect(try row.decode("prev_hash", as: Data.self) == previous)
                previous = try Self.hash(of: row, after: previous)
                #expect(try row.decode("hash", as: Data.self) == previous)
                if version == (try row.decode("head_version", as: Int64.self)) {
                    #expect(try row.decode("head_hash", as: Data.self) == previous)
                }
            }
        }
    }

    private static func hash(of row: Row, after previous: Data) throws -> Data {
        var record = RecordBytes(fields: 15)
        record.append(bytea: previous)
        record.append(int8: try row.decode("account_id"))
        record.append(text: try row.decode("environment_text"))
        record.append(int8: try row.decode("version"))
        record.append(text: try row.decode("kind"))
        record.append(text: try row.decode("unit_text"))
        record.append(int8: try row.decode("amount"))
        record.append(int8: try row.decode("owed_change"))
        record.append(int8: try row.decode("balance_after"))
        record.append(uuid: try row.decode("lot_id"))
        record.append(uuid: try row.decode("booking_id"))
        record.append(int8: try row.decode("claim_id"))
        record.append(bytea: try row.decode("actor_digest"))
        record.append(bytea: try row.decode("reason_digest"))
        record.append(timestamptz: try row.decode("micros"))
        return Data(SHA256.hash(data: record.bytes))
    }
}
