import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct QueryTests {
    @Test func `interpolated values become numbered parameters and never text`() {
        let user = "x'); DROP TABLE wallets; --"
        let query: Query = "SELECT f(\(user), \(7)) FROM \(identifier: "odd\"name") ORDER BY \(unescaped: "a DESC")"
        #expect(query.sql == "SELECT f($1, $2) FROM \"odd\"\"name\" ORDER BY a DESC")
    }

    @Test(arguments: [
        "", "plain", "it's", "\"quoted\"", "\\ back", "'; DROP TABLE x; --", "$1", "%s %n", "emoji 🎟️ and ümlaut",
        "two\nlines\t", "\u{FEFF}bom", String(repeating: "long ", count: 200_000),
    ])
    func `text round-trips`(text: String) async throws {
        let connection = try await connect()
        let rows = try await connection.query("SELECT \(text) AS text, length(\(text)) AS length")
        #expect(try rows[0].decode("text", as: String.self) == text)
        #expect(try rows[0].decode("length", as: Int.self) == text.unicodeScalars.count)
    }

    @Test func `integers round-trip at the limits of their ranges`() async throws {
        let connection = try await connect()
        let row = try #require(
            try await connection.query(
                """
                SELECT \(Int.max), \(Int64.min), \(Int32.min), \(-1), \(0), pg_typeof(\(1))::text,
                    pg_typeof(\(Int32(1)))::text
                """
            ).first
        )
        let values = try row.decode((Int, Int64, Int32, Int, Int, String, String).self)
        #expect(values.0 == .max && values.1 == .min && values.2 == .min)
        #expect(values.3 == -1 && values.4 == 0)
        #expect([values.5, values.6] == ["bigint", "integer"])
    }

    @Test(arguments: [
        "0", "1", "-1", "0.5", "0.0001", "0.00001", "120.05", "-9999.9999", "10000", "99999999", "100000000",
        "12345678901234567890.123456789", "79228162514264337593543950335", "-0.000000000000000000000000000001",
        "1000000000000000000000000000000",
    ])
    func `decimals are read digit by digit`(digits: String) async throws {
        let connection = try await connect()
        let value = try #require(Decimal(string: digits))
        let rows = try await connection.query("SELECT \(digits)::text::numeric AS value")
        #expect(try rows[0].decode("value", as: Decimal.self) == value)
    }

    @Test func `floating point, Booleans, bytes and identifiers round-trip`() async throws {
        let connection = try await connect()
        let (uuid, data) = (UUID(), Data((0...255).map { UInt8($0) }))
        let row = try #require(
            try await connection.query(
                "SELECT \(0.1), \(-Double.infinity), \(true), \(false), \(data), \(Data()), \(uuid), \(uuid)::text"
            ).first
        )
        let values = try row.decode((Double, Double, Bool, Bool, Data, Data, UUID, String).self)
        #expect(values.0 == 0.1 && values.1 == -.infinity && values.2 && !values.3)
        #expect(values.4 == data && values.5.isEmpty)
        #expect(values.6 == uuid && values.7 == uuid.uuidString.lowercased())
    }

    @Test func `distant instants round-trip or become infinite, and none crashes the process`() async throws {
        let connection = try await connect()
        let late = try Date("9999-12-31T23:59:59Z", strategy: .iso8601)
        let (beyond, before) = (Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: -1e300))
        let none = Date(timeIntervalSince1970: .nan)
        let row = try #require(
            try await connection.query(
                """
                SELECT \(late), \(late) = '9999-12-31 23:59:59+00', \(beyond) = 'infinity', \(before) = '-infinity',
                    \(none) = '-infinity'
                """
            ).first
        )
        let values = try row.decode((Date, Bool, Bool, Bool, Bool).self)
        #expect(values.0 == late && values.1 && values.2 && values.3 && values.4)
    }

    @Test func `instants keep their microseconds whatever the session's time zone`() async throws {
        let connection = try await connect()
        try await connection.execute(script: "SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'German'")
        let instant = try Date("2026-11-21T01:31:00Z", strategy: .iso8601).addingTimeInterval(0.123456)
        let old = try Date("1969-07-20T20:17:40Z", strategy: .iso8601)
        let row = try #require(
            try await connection.query(
                """
                SELECT \(instant), \(old), \(instant) = '2026-11-21 01:31:00.123456+00', \(Date.distantFuture) = 'infinity',
                    'infinity'::timestamptz, '-infinity'::timestamptz, '2026-02-28'::date
                """
            ).first
        )
        let values = try row.decode((Date, Date, Bool, Bool, Date, Date, Date).self)
        #expect(abs(values.0.timeIntervalSince(instant)) < 0.000_001)
        #expect(values.1 == old && values.2 && values.3)
        #expect(values.4 == .distantFuture && values.5 == .distantPast)
        #expect(try values.6 == Date("2026-02-28T00:00:00Z", strategy: .iso8601))
    }

    @Test func `NULL is bound with a type`() async throws {
        let connection = try await connect()
        let (text, number, list): (String?, Int?, [Int]?) = (nil, nil, nil)
        let rows = try await connection.query(
            """
            SELECT \(text) IS NULL AND \(number) IS NULL AND \(list) IS NULL AS all_null,
                pg_typeof(\(number))::text AS type
            """
        )
        #expect(try rows[0].decode("all_null", as: Bool.self))
        #expect(try rows[0].decode("type", as: String.self) == "bigint")
    }

    @Test func `arrays round-trip, including empty ones and NULL elements`() async throws {
        let connection = try await connect()
        let ids = [UUID(), UUID()]
        let holes: [String?] = ["a", nil, "", "{\"b\",NULL}"]
        let row = try #require(
            try await connection.query(
                """
                SELECT \([1, 2, 3]), \([Int]()), \(holes), \(ids), \([true, false]), \([Date.distantFuture]),
                    \([Data([0])]), array_position(\(holes), NULL)
                """
            ).first
        )
        let values = try row.decode(([Int], [Int], [String?], [UUID], [Bool], [Date], [Data], Int).self)
        #expect(values.0 == [1, 2, 3] && values.1.isEmpty && values.2 == holes && values.3 == ids)
        #expect(values.4 == [true, false] && values.5 == [.distantFuture])
        #expect(values.6 == [Data([0])] && values.7 == 2)
    }

    @Test func `JSON is sent encoded or as text, and read decoded or as text`() async throws {
        struct Price: Codable, Equatable { var credits: Int, note: String? }
        let connection = try await connect()
        let price = Price(credits: 20, note: "it's \"off\" 🎟️")
        let rows = try await connection.query(
            """
            SELECT \(json: price) AS b, \(json: price)::json AS j, (\(json: price)->>'credits')::int AS credits,
                \(JSONText(rawValue: "[1, 2]")) AS text, ARRAY[\(json: price)] AS list, NULL::jsonb AS nothing
            """
        )
        #expect(try rows[0].decodeJSON("b", as: Price.self) == price)
        #expect(try rows[0].decodeJSON("j", as: Price.self) == price)
        #expect(try rows[0].decode("credits", as: Int.self) == 20)
        #expect(try rows[0].decode("text", as: JSONText.self).rawValue == "[1, 2]")
        #expect(try rows[0].decode("nothing", as: JSON<Price>?.self) == nil)
        #expect(try rows[0].decode("list", as: [JSONText].self).count == 1)
    }

    @Test func `an enum's label is sent and read as text`() async throws {
        let connection = try await connect()
        try await connection.execute(script: "CREATE TYPE unit AS ENUM ('credit', 'visit')")
        let rows = try await connection.query("SELECT \("visit")::unit AS unit")
        #expect(try rows[0].decode("unit", as: String.self) == "visit")
    }

    @Test func `a NUL character is refused and leaves the connection usable`() async throws {
        let connection = try await connect()
        let inValue = await PostgresError.thrown { try await connection.query("SELECT \("a\0b")") }
        #expect(inValue?.code == .invalid && inValue?.sqlState == "22021")
        let inText = await PostgresError.thrown { try await connection.query(Query(unsafeSQL: "SELECT 1\0; DROP")) }
        #expect(inText?.code == .invalid)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func `values of many megabytes round-trip`() async throws {
        let connection = try await connect()
        let data = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let rows = try await connection.query("SELECT \(data) AS data, generate_series(1, 2)")
        #expect(try rows[0].decode("data", as: Data.self) == data)
        #expect(try rows[1].decode("data", as: Data.self) == data)
    }

    @Test func `more parameters than the protocol allows are refused`() async throws {
        let connection = try await connect()
        var interpolation = Query.StringInterpolation(literalCapacity: 0, interpolationCount: 70_000)
        interpolation.appendLiteral("SELECT ")
        for _ in 0..<70_000 { interpolation.appendInterpolation(1) }
        let query = Query(stringInterpolation: interpolation)
        let error = await PostgresError.thrown { try await connection.query(query) }
        #expect(error?.code == .invalid)
    }
}
