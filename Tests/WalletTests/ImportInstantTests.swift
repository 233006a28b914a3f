import Foundation
import Testing
import Wallet

/// Instants as other systems write them.
@Suite struct ImportInstantTests {
    @Test(arguments: [
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z", 0), ("2024-03-01T00:59:59+01:00", "2024-02-29T23:59:59Z", 0),
        ("2024-02-29 23:59:59+00", "2024-02-29T23:59:59Z", 0), ("2024-02-29 23:59:59", "2024-02-29T23:59:59Z", 0),
        ("2024-02-29T20:29:59.25-0330", "2024-02-29T23:59:59Z", 250_000),
        ("2000-12-31 00:00:00.000001z", "2000-12-31T00:00:00Z", 1), ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 0),
        ("2100-03-01T00:00:00Z", "2100-03-01T00:00:00Z", 0), ("2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z", 0),
    ])
    func `the instant is that which is written`(text: String, whole: String, fraction: Int64) throws {
        let instant = try #require(ImportInstant(text))
        let seconds = Int64(try Date(whole, strategy: .iso8601).timeIntervalSince1970)
        #expect(instant.microseconds == seconds * 1_000_000 + fraction)
        #expect(ImportInstant(instant.text) == instant)
        #expect(!instant.text.contains(" "))
    }

    @Test func `every day of two centuries has its number`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for day in stride(from: 0, to: 73_414, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let text = String(format: "%04d-%02d-%02dT00:00:00Z", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            #expect(ImportInstant(text)?.microseconds == Int64(day) * 86_400_000_000, "\(text)")
        }
    }

    @Test(arguments: [
        "", "now", "infinity", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
        "2024-01-01T00:00:60Z", "2024-01-01", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+01:60",
        "1969-12-31T23:59:59Z", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00.1234567Z", "1.1.2024 00:00:00",
        "2024-04-31T00:00:00Z",
    ])
    func `what is no instant is refused`(text: String) {
        #expect(ImportInstant(text) == nil)
    }
}
