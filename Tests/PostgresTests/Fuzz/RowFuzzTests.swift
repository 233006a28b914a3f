import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite(.serialized) struct RowFuzzTests {
    private static let types: [OID] = [
        .bool, .bytea, .int8, .int2, .int4, .text, .json, .float4, .float8, .date, .timestamptz, .numeric, .uuid,
        .jsonb,
        .char, .name, .oid, .unknown, .bpchar, .varchar, .timestamp, OID(rawValue: 1231), OID(rawValue: 1016),
        OID(rawValue: 100_000),
    ]

    private static let seeds: [[UInt8]] = [
        Decimal(string: "-120.05")?.postgresBytes() ?? [], Int64.max.bigEndianBytes, Int64.min.bigEndianBytes,
        Int32.max.bigEndianBytes, UUID().postgresBytes() ?? [], [1, 2, 3].postgresBytes() ?? [],
        ["a", nil, "b"].postgresBytes() ?? [], [1] + Array(#"{"a":[1,2]}"#.utf8), Double.nan.postgresBytes() ?? [],
        Date.distantFuture.postgresBytes() ?? [], [],
    ]

    private static func decode(_ cell: Cell) throws {
        let targets: [any PostgresDecodable.Type] = [
            Bool.self, Int.self, Int64.self, Int32.self, Int16.self, Double.self, Decimal.self, String.self, UUID.self,
            Data.self, Date.self, JSONText.self, JSON<[String: [Int]]>.self, [Int64].self, [String].self,
            [Decimal].self, [Date].self, [String?].self, [UInt8].self, Int?.self,
        ]
        for target in targets {
            do throws(PostgresError) {
                _ = try target.init(cell: cell)
            } catch {
                guard error.code == .decoding else { throw FuzzFailure("an undocumented error: \(error)") }
            }
        }
    }

    @Test func `whatever the server sends for a value is read or refused`() async throws {
        try await Fuzzer("rows").run { random in
            let type = UInt8(random.below(Self.types.count))
            return [type] + FuzzBytes.mutated(random.pick(Self.seeds), with: Self.seeds, &random)
        } check: { bytes in
            let rest = Array(bytes.dropFirst())
            try Self.decode(Cell(column: "c", type: Self.types[Int(bytes[0])], bytes: rest[...]))
            // Places the bytes inside a larger block, as rows do.
            let block = [0, 0, 0] + rest + [0]
            try Self.decode(Cell(column: "c", type: Self.types[Int(bytes[0])], bytes: block[3..<(3 + rest.count)]))
        }
    }
}
