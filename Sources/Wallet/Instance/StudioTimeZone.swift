package import Foundation
import Postgres
import Stores

extension Wallet {
    /// Stores the studio's time zone in the database, where reports and sentences use it.
    ///
    /// A change makes the reports of days be computed again.
    ///
    /// SQL: `functions/operations/reports.sql`.
    ///
    /// - Throws: ``WalletError`` 422 `invalid-value` if PostgreSQL does not know the zone, 503 when the database
    ///   does not answer.
    public func storeStudioTimeZone() async throws {
        try await self.execute("SELECT wallet.set_studio_time_zone(\(self.studioTimeZone.name))::text AS done")
    }
}

/// The time zone in which a studio's people read and type times.
///
/// The API's instants stay in UTC. A time that people type is refused if it does not exist, because clocks were set
/// forward. If it occurs twice, because clocks were set back, it means the first one.
public struct StudioTimeZone: Sendable, Equatable {
    /// The name in the IANA database, such as `Europe/Berlin`; `UTC` by default.
    public let name: String
    private let zone: TimeZone

    /// UTC.
    public static let utc = Self(name: "UTC", zone: .gmt)

    private init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
    }

    /// Creates a time zone.
    ///
    /// - Parameter name: `UTC`, or an area and a place, such as `Europe/Berlin`; nil for another name. Names without an
    ///   area, such as `EST`, are refused, since they mean a fixed offset or differ between systems.
    public init?(_ name: String) {
        if name == Self.utc.name {
            self = .utc
            return
        }
        guard name.wholeMatch(of: /[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z0-9_+\-]*)+/) != nil else { return nil }
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.init(name: name, zone: zone)
    }

    /// Returns an instant as the studio's clock shows it, such as `2026-11-28 07:00`.
    ///
    /// If the same time occurs twice, the offset from UTC follows: `2026-10-25 02:30 +02:00`.
    ///
    /// - Parameter date: The instant.
    /// - Returns: The date and the time, without seconds.
    package func text(_ date: Date) -> String {
        let offset = self.zone.secondsFromGMT(for: date)
        let time = Int64(date.timeIntervalSince1970.rounded(.down)) + Int64(offset)
        let text = String(RFC3339.text(ofSeconds: time).prefix(16)).replacing("T", with: " ")
        guard self.instants(at: time).count > 1 else { return text }
        let minutes = abs(offset) / 60
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(text) \(offset < 0 ? "-" : "+")\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Returns the day of an instant on the studio's calendar, such as `2026-11-28`.
    ///
    /// - Parameter date: The instant.
    /// - Returns: The day.
    package func day(of date: Date) -> String { String(self.fieldText(date).prefix(10)) }

    /// Returns an instant in the form of a browser's time field, such as `2026-11-28T07:00:00`.
    ///
    /// - Parameter date: The instant.
    /// - Returns: The date and the time, without a zone.
    package func fieldText(_ date: Date) -> String {
        let time = date.timeIntervalSince1970.rounded(.down) + Double(self.zone.secondsFromGMT(for: date))
        return String(RFC3339.text(ofSeconds: Int64(time)).dropLast())
    }

    /// Parses an instant with a zone (RFC 3339), or a date and a time of the studio's clock.
    ///
    /// - Parameter text: The instant, such as `2026-11-21T01:31:00Z`, or a time such as `2026-11-21T01:31`.
    /// - Returns: The instant; nil for another text, and for a time that does not exist.
    package func instant(_ text: String) -> Date? {
        if let instant = RFC3339(text) { return instant.date }
        let seconds = text.utf8.count == 16 ? ":00" : ""
        guard let time = RFC3339("\(text.replacing(" ", with: "T"))\(seconds)Z") else { return nil }
        return self.instants(at: time.seconds).first.map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Returns the first instant of a day.
    ///
    /// - Parameter day: The day, such as `2026-11-21`.
    /// - Returns: The instant; nil for an invalid day.
    package func start(of day: String) -> Date? {
        guard let midnight = RFC3339(day: day)?.seconds else { return nil }
        // If clocks are set forward at midnight, the day starts with that change.
        let first = self.instants(at: midnight).first ?? midnight - self.offset(midnight - 86_400)
        return Date(timeIntervalSince1970: Double(first))
    }

    /// Returns the instants at which the studio's clock shows a time, given as if it were UTC: one, two in the hour that
    /// occurs twice, or none in the hour that does not exist.
    private func instants(at time: Int64) -> [Int64] {
        Set([time - 86_400, time + 86_400].map(self.offset)).map { time - $0 }
            .filter { $0 + self.offset($0) == time }.sorted()
    }

    /// Returns the offset from UTC at an instant, in seconds.
    private func offset(_ seconds: Int64) -> Int64 {
        Int64(self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
