import Foundation
import Testing
import Wallet

/// Tests instants in the notations of other systems.
@Suite struct ImportInstantTests {
    @Test(arguments: [
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z", 0), ("2024-03-01T00:59:59+01:00", "2024-02-29T23:59:59Z", 0),
        ("2024-02-29 23:59:59+00", "2024-02-29T23:59:59Z", 0), ("2024-02-29 23:59:59", "2024-02-29T23:59:59Z", 0),
        ("2024-02-29T20:29:59.25-0330", "2024-02-29T23:59:59Z", 250_000),
        ("2000-12-31 00:00:00.000001z", "2000-12-31T00:00:00Z", 1), ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0),
        ("2100-03-01T00:00:00Z", "2100-03-01T00:00:00Z", 0), ("2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z", 0),
    ])
    func `an instant is parsed exactly`(text: String, whole: String, fraction: Int64) throws {
        let instant = try #require(ImportInstant(text))
        let seconds = Int64(try Date(whole, strategy: .iso8601).timeIntervalSince1970)
        #expect(instant.microseconds == seconds * 1_000_000 + fraction)
        #expect(ImportInstant(instant.text) == instant)
        #expect(!instant.text.contains(" "))
    }

    @Test func `the first and last day of every month are parsed correctly`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var wrong: [String] = []
        for month in 1...(140 * 12) {
            let next = try #require(
                calendar.date(byAdding: .month, value: month, to: Date(timeIntervalSince1970: 0))
            )
            for date in [next, next.addingTimeInterval(-86_400)] {
                let text = date.formatted(.iso8601)
                let expected = Int64(date.timeIntervalSince1970) * 1_000_000
                if ImportInstant(text)?.microseconds != expected { wrong.append(text) }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: [
        "", "now", "infinity", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
        "2024-01-01T00:00:60Z", "2024-01-01", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+01:60",
        "1969-12-31T23:59:59Z", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00.1234567Z", "1.1.2024 00:00:00",
        "2024-04-31T00:00:00Z", "٢٠٢٤-01-01T00:00:00Z", "2024-01-01T00:00:٠٠Z", "2024-01-01T٠٠:00:00.١Z",
    ])
    func `a text that is not an instant is refused`(text: String) {
        #expect(ImportInstant(text) == nil)
    }
}
