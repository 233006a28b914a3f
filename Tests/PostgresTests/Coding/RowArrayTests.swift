import Postgres
import TestSupport
import Testing

/// Tests that rows sent as one parameter round-trip.
@Suite(.emptyDatabase) struct RowArrayTests {
    private static let texts: [String?] = [
        nil, "", "plain", "NULL", "a,b", "(a)", "{a}", "\"", "\\", "\\\"", "\"\"", " spaced ", "line\nbreak\ttab",
        "Grüße, 🧘", "'; DROP TABLE x; --", "\\x41", "{\"(\\\"a\\\")\"}",
    ]

    @Test func `texts of any characters, numbers and NULLs round-trip`() async throws {
        let connection = try await connect()
        try await connection.query("CREATE TYPE pair AS (number bigint, text text, other text)")
        for texts in [Self.texts, []] {
            let numbers = texts.indices.map { $0 == 0 ? nil : Int64($0) - 5 }
            var rows = RowArray()
            for (number, text) in zip(numbers, texts) {
                rows.addRow { row in
                    row.add(number)
                    row.add(text)
                    row.add(text)
                }
            }
            let found = try await connection.query(
                """
                SELECT r.number, r.text, r.other
                FROM unnest(\(rows)::pair[]) WITH ORDINALITY AS r (number, text, other, place) ORDER BY r.place
                """
            )
            #expect(try found.map { try $0.decode("number", as: Int64?.self) } == numbers)
            #expect(try found.map { try $0.decode("text", as: String?.self) } == texts)
            #expect(try found.map { try $0.decode("other", as: String?.self) } == texts)
        }
    }
}
