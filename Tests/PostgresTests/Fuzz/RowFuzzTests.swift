import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite(.serialized) struct RowFuzzTests {
    private static let types: [OID] = [
        .bool, .bytea, .int8, .int2, .int4, .text, .json, .float4, .float8, .date, .timestamptz, .numeric, .uuid,
        .jsonb,
        .char, .name, .oid, .unknown, .bpchar, .varchar, .timestamp, OID(rawValue: 1231), OID(rawValue: 1016),
        OID(rawValue: 100_000), OID(rawValue: 2_287),
    ]

    private static let seeds: [[UInt8]] = [
        Self.numeric, Int64.max.bigEndianBytes, Int64.min.bigEndianBytes, Int32.max.bigEndianBytes,
        UUID().postgresBytes() ?? [], [1, 2, 3].postgresBytes() ?? [],
        ["a", nil, "b"].postgresBytes() ?? [], [1] + Array(#"{"a":[1,2]}"#.utf8), Double.nan.postgresBytes() ?? [],
        Date.distantFuture.postgresBytes() ?? [], [], Self.row,
    ]

    private static func decode(_ cell: Cell) throws {
        let targets: [any PostgresDecodable.Type] = [
            Bool.self, Int.self, Int64.self, Int32.self, Double.self, Decimal.self, String.self, UUID.self, Data.self,
            Date.self, JSONText.self, JSON<[String: [Int]]>.self, [Int64].self, [String].self,
            [Date].self, [String?].self, Int?.self,
        ]
        for target in targets {
            do throws(PostgresError) {
                _ = try target.init(cell: cell)
            } catch {
                guard error.code == .decoding else { throw FuzzFailure("an undocumented error: \(error)") }
            }
        }
        do throws(PostgresError) {
            _ = try cell.rows()
        } catch {
            guard error.code == .decoding else { throw FuzzFailure("an undocumented error: \(error)") }
        }
    }

    /// The numeric -120.05.
    private static let numeric: [UInt8] = [0, 2, 0, 0, 64, 0, 0, 2, 0, 120, 1, 244]

    /// An array of one row with a bigint and a NULL.
    private static let row: [UInt8] =
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 8, 201, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 28]
        + [0, 0, 0, 2, 0, 0, 0, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 25, 255, 255, 255, 255]

    @Test func `an array of rows is read, or refused if its bytes are malformed`() async throws {
        let type = OID(rawValue: 2_287)
        let fields = try #require(try Cell(column: "c", type: type, bytes: Self.row[...]).rows().first)
        #expect(try Int64(cell: fields[0]) == 7)
        #expect(fields[1].isNull)
        var malformed = (0..<Self.row.count).map { Array(Self.row.prefix($0)) }
        for (place, value) in [(24, 255), (27, 3), (32, 255), (35, 9), (35, 7), (15, 2), (12, 255), (3, 2), (20, 255)] {
            var bytes = Self.row
            bytes[place] = UInt8(value)
            // A negative length means NULL, and a NULL leaves the bytes behind it to the next field.
            if place == 32 { bytes.removeLast(4) }
            malformed.append(bytes)
        }
        for bytes in malformed {
            let error = #expect(throws: PostgresError.self, "\(bytes)") {
                try Cell(column: "c", type: type, bytes: bytes[...]).rows()
            }
            #expect(error?.code == .decoding)
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
