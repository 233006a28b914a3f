import Foundation
import Postgres
import Stores
import TestSupport
import Testing
import Wallet

@Suite(.database) struct StudioTimeZoneTests {
    private static func instant(_ text: String) throws -> Date { try #require(RFC3339(text)).date }

    @Test(arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
    func `a name of the IANA database is accepted`(name: String) throws {
        #expect(try #require(StudioTimeZone(name)).name == name)
    }

    @Test(arguments: [
        "", "utc", "EST", "EST5EDT", "GMT+3", "+02:00", "europe/berlin", "Europe/Berlino", "Europe/", "/a",
    ])
    func `other names are refused`(name: String) {
        #expect(StudioTimeZone(name) == nil)
    }

    @Test(arguments: [
        ("2026-07-01T05:00:00Z", "2026-07-01 07:00"), ("2026-12-01T06:00:59Z", "2026-12-01 07:00"),
        ("2026-03-29T00:59:59Z", "2026-03-29 01:59"), ("2026-03-29T01:00:00Z", "2026-03-29 03:00"),
        ("2026-10-24T23:59:59Z", "2026-10-25 01:59"), ("2026-10-25T00:30:00Z", "2026-10-25 02:30 +02:00"),
        ("2026-10-25T01:30:00Z", "2026-10-25 02:30 +01:00"), ("2026-10-25T02:00:00Z", "2026-10-25 03:00"),
    ])
    func `times are shown as the studio's clock shows them`(instant: String, text: String) throws {
        let zone = try #require(StudioTimeZone("Europe/Berlin"))
        #expect(zone.text(try Self.instant(instant)) == text)
    }

    @Test(arguments: [
        ("2026-07-01T07:00", "2026-07-01T05:00:00Z"), ("2026-12-01 07:00:30", "2026-12-01T06:00:30Z"),
        ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"), ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
        // The first of two.
        ("2026-10-25T02:30", "2026-10-25T00:30:00Z"), ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
        // An instant with a zone keeps its meaning.
        ("2026-07-01T07:00:00Z", "2026-07-01T07:00:00Z"), ("2026-07-01T07:00:00-04:00", "2026-07-01T11:00:00Z"),
    ])
    func `times are read as the studio's clock shows them`(text: String, instant: String) throws {
        let zone = try #require(StudioTimeZone("Europe/Berlin"))
        #expect(zone.instant(text) == (try Self.instant(instant)))
    }

    @Test(arguments: [
        "2026-03-29T02:00", "2026-03-29T02:59:59", "2026-02-29T07:00", "2026-07-01T25:00", "2026-07-01T10:61",
        "2026-07-01",
        "07:00", "", "2026-07-01T07:00+", "tomorrow",
    ])
    func `times that do not exist are refused`(text: String) throws {
        #expect(try #require(StudioTimeZone("Europe/Berlin")).instant(text) == nil)
    }

    @Test(arguments: [
        ("2026-03-29", "2026-03-28T23:00:00Z"), ("2026-03-30", "2026-03-29T22:00:00Z"),
        ("2026-10-25", "2026-10-24T22:00:00Z"), ("2026-10-26", "2026-10-25T23:00:00Z"),
    ])
    func `a day starts at the studio's midnight`(day: String, instant: String) throws {
        let zone = try #require(StudioTimeZone("Europe/Berlin"))
        #expect(zone.fieldText(try Self.instant(instant)) == "\(day)T00:00:00")
    }

    @Test func `a time field gets every instant back, except the second of two`() throws {
        for name in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"] {
            let zone = try #require(StudioTimeZone(name))
            let start = try Self.instant("2026-01-01T00:00:00Z")
            var moved = 0
            for quarter in 0..<(365 * 96) {
                let instant = start + Double(quarter) * 900
                let read = try #require(zone.instant(zone.fieldText(instant)), "\(name) \(instant)")
                if read != instant { moved += 1 }
                #expect(read <= instant)
            }
            // One repeated hour; half an hour on Lord Howe Island.
            #expect(moved == (name == "UTC" ? 0 : name == "Australia/Lord_Howe" ? 2 : 4), "\(name)")
        }
    }

    @Test(arguments: [
        ("2026-11-27T04:59:59Z", "2026-11-26"), ("2026-11-27T05:00:00Z", "2026-11-27"),
        ("2026-07-01T03:59:59Z", "2026-06-30"), ("2026-11-01T05:30:00Z", "2026-11-01"),
    ])
    func `an instant has the day of the studio's calendar`(instant: String, day: String) throws {
        let zone = try #require(StudioTimeZone("America/New_York"))
        #expect(zone.day(of: try Self.instant(instant)) == day)
    }

    @Test func `lists read a day in the studio's time zone, and the database stores the zone`() async throws {
        let zone = try #require(StudioTimeZone("America/New_York"))
        let pool = Pool(
            configuration: PoolConfiguration(url: try TestDatabase.current.serviceURL),
            logger: .silent
        )
        let wallet = Wallet(pool: pool, studioTimeZone: zone)
        try await wallet.storeStudioTimeZone()
        let connection = try await TestDatabase.current.connect()
        let rows = try await connection.query("SELECT wallet.studio_time('2026-07-02T03:00:00Z') AS text")
        #expect(try rows.first?.decode("text", as: String.self) == "2026-07-01 23:00")
        try await connection.query(
            "SELECT wallet.put_class('late', 'Late', '2030-07-02T03:00:00Z', '2030-07-02T04:00:00Z', 5, 1, NULL, 0, 'x', NULL)"
        )
        connection.close()
        for (day, next, count) in [("2030-07-01", "2030-07-02", 1), ("2030-07-02", "2030-07-03", 0)] {
            let page = try await wallet.rows(of: .classes, where: ["from": day, "until": next, "class_id": "late"])
            #expect(page.items.count == count, "\(day)")
        }
        await pool.close()
    }
}
