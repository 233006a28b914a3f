import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct RowTests {
    /// SQL expressions with a decoding that must fail.
    static let mismatches: [(String, @Sendable (Row) throws -> Any)] = [
        ("NULL::bigint", { try $0.decode("x", as: Int.self) }),
        ("'7'", { try $0.decode("x", as: Int.self) }),
        ("1.5::numeric", { try $0.decode("x", as: Int.self) }),
        ("9223372036854775807::bigint", { try $0.decode("x", as: Int32.self) }),
        ("1", { try $0.decode("x", as: String.self) }),
        ("1", { try $0.decode("x", as: Bool.self) }),
        ("'t'::text", { try $0.decode("x", as: Bool.self) }),
        ("'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::text", { try $0.decode("x", as: UUID.self) }),
        ("'2026-01-01'::timestamp", { try $0.decode("x", as: Date.self) }),
        ("'2026-01-01'::text", { try $0.decode("x", as: Date.self) }),
        ("'abc'::text", { try $0.decode("x", as: Data.self) }),
        ("'NaN'::numeric", { try $0.decode("x", as: Int.self) }),
        ("'Infinity'::numeric", { try $0.decode("x", as: Decimal.self) }),
        ("10::numeric ^ 200", { try $0.decode("x", as: Decimal.self) }),
        ("1234567890.12345678901234567890123456789012345::numeric", { try $0.decode("x", as: Decimal.self) }),
        ("'{}'::text", { try $0.decode("x", as: JSONText.self) }),
        ("'{\"a\":1}'::jsonb", { try $0.decodeJSON("x", as: [Int].self) }),
        ("ARRAY[1, NULL]", { try $0.decode("x", as: [Int].self) }),
        ("ARRAY[[1, 2], [3, 4]]", { try $0.decode("x", as: [Int].self) }),
        ("ARRAY['a']", { try $0.decode("x", as: [Int].self) }),
        ("1", { try $0.decode("x", as: [Int].self) }),
        ("NULL::int[]", { try $0.decode("x", as: [Int].self) }),
        ("ROW(1, 'a')", { try $0.decode("x", as: String.self) }),
        ("NULL::pg_enum[]", { try $0.decodeRows("x") }),
        ("'a text of some length'::text", { try $0.decodeRows("x") }),
        ("1::bigint", { try $0.decodeRows("x") }),
        ("'00000000-0000-0000-0000-000000000000'::uuid", { try $0.decodeRows("x") }),
        ("ARRAY[1, 2]", { try $0.decodeRows("x") }),
        ("ARRAY['a']", { try $0.decodeRows("x") }),
        ("ARRAY[ROW(1), NULL]", { try $0.decodeRows("x") }),
        ("ARRAY[ARRAY[ROW(1)], ARRAY[ROW(2)]]", { try $0.decodeRows("x") }),
        ("ROW(1, 'a')", { try $0.decodeRows("x") }),
    ]

    @Test(arguments: mismatches.indices)
    func `a value of another type is an error that names the column and not the value`(index: Int) async throws {
        let (sql, read) = Self.mismatches[index]
        let connection = try await connect()
        let rows = try await connection.query(Query(unsafeSQL: "SELECT \(sql) AS x"))
        let error = await PostgresError.thrown { _ = try read(rows[0]) }
        #expect(error?.code == .decoding, "\(sql)")
        #expect(error?.description.contains("'x'") == true)
    }

    @Test func `integers of every width, and whole numerics, decode as Int`() async throws {
        let connection = try await connect()
        let rows = try await connection.query(
            "SELECT 1::smallint, 2::int, 3::bigint, sum(4::bigint), 5::numeric, 23::oid, count(*) FROM generate_series(1, 2)"
        )
        let values = try rows[0].decode((Int, Int, Int, Int, Int, Int, Int).self)
        let numbers: [Int] = [values.0, values.1, values.2, values.3, values.4, values.5, values.6]
        #expect(numbers == [1, 2, 3, 8, 5, 23, 2])
    }

    @Test func `an array of rows decodes field by field, with NULLs and in order`() async throws {
        let connection = try await connect()
        try await connection.query("CREATE TYPE slice AS (id uuid, amount bigint, note text)")
        let id = UUID()
        let rows = try await connection.query(
            """
            SELECT ARRAY[
                ROW(\(id), 5, '')::slice, ROW(NULL, -1, 'a, "b"')::slice, ROW(NULL, NULL, NULL)::slice
            ] AS several,
                ARRAY[]::slice[] AS none, (SELECT array_agg(ROW(n, n::text)) FROM generate_series(1, 300) AS n) AS many
            """
        )
        let several = try rows[0].decodeRows("several")
        #expect(try several.map { try UUID?(cell: $0[0]) } == [id, nil, nil])
        #expect(try several.map { try Int64?(cell: $0[1]) } == [5, -1, nil])
        #expect(try several.map { try String?(cell: $0[2]) } == ["", "a, \"b\"", nil])
        #expect(several.allSatisfy { $0.count == 3 })
        #expect(try rows[0].decodeRows("none").isEmpty)
        #expect(try rows[0].decodeRows("many").map { try Int(cell: $0[0]) } == Array(1...300))
        let error = await PostgresError.thrown { _ = try Int64(cell: several[1][0]) }
        #expect(error?.code == .decoding)
        let missing = await PostgresError.thrown { _ = try rows[0].decodeRows("other") }
        #expect(missing?.message == "column 'other' does not exist")
    }

    @Test func `a missing and an ambiguous column are errors`() async throws {
        let connection = try await connect()
        let rows = try await connection.query("SELECT 1 AS a, 2 AS b, 3 AS b")
        #expect(try rows[0].decode("a", as: Int.self) == 1)
        let missing = await PostgresError.thrown { _ = try rows[0].decode("c", as: Int.self) }
        #expect(missing?.message == "column 'c' does not exist")
        let double = await PostgresError.thrown { _ = try rows[0].decode("b", as: Int.self) }
        #expect(double?.message == "column 'b' occurs more than once")
    }

    @Test func `a tuple must have as many members as the row has columns`() async throws {
        let connection = try await connect()
        let rows = try await connection.query("SELECT 1, 2")
        let (first, second) = try rows[0].decode((Int, Int?).self)
        #expect(first == 1 && second == 2)
        let error = await PostgresError.thrown { _ = try rows[0].decode((Int, Int, Int).self) }
        #expect(error?.message == "the row has 2 columns instead of 3")
    }

    @Test func `a result without rows or columns is empty`() async throws {
        let connection = try await connect()
        #expect(try await connection.query("SELECT 1 WHERE false").isEmpty)
        #expect(try await connection.query("CREATE TABLE nothing ()").isEmpty)
        #expect(try await connection.query("").isEmpty)
    }

    @Test func `many rows keep their order`() async throws {
        let connection = try await connect()
        let rows = try await connection.query(
            "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE repeat('x', i % 7) END AS t FROM generate_series(0, 9999) AS i"
        )
        #expect(rows.count == 10_000)
        for (index, row) in rows.enumerated() {
            let (number, text) = try row.decode((Int, String?).self)
            #expect(number == index && text == (index % 3 == 0 ? nil : String(repeating: "x", count: index % 7)))
        }
    }
}
