import Foundation
import Stores

/// An operator's definition of a weekly series of classes.
///
/// SQL: `functions/bookings/put_series.sql`.
public struct SeriesDefinition: Decodable, Sendable, Equatable {
    /// The title, the seats, the price and the terms of each class; its times have no meaning.
    public var terms: ClassDefinition
    /// The days of the week with a class, such as `monday`; at least one.
    public var weekdays: [String]
    /// The time of day of the start in the time zone, such as `18:30`.
    public var startTime: String
    /// The length of each class, 1 to 1,440.
    public var minutes: Int
    /// The time zone of the days and the start; the studio's by default.
    public var timeZone: StudioTimeZone?
    /// The first day of this definition, today or later; earlier classes do not change.
    public var fromDate: CalendarDay
    /// The last day that can have a class; `nil` if the series does not end.
    public var endsOn: CalendarDay?
    /// Days without a class, at most 1,000.
    public var exceptions: [CalendarDay]
    /// The number of days ahead for which classes are created, 1 to 366; 92 by default.
    public var createDaysAhead: Int?

    /// Decodes a definition, whose members are those of a class without its times, and those of the series.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let terms = try decoder.container(keyedBy: ClassDefinition.CodingKeys.self)
        let minutes = try container.decode(Int.self, forKey: .minutes)
        self.terms = ClassDefinition(
            title: try terms.decode(String.self, forKey: .title),
            startsAt: Date(timeIntervalSince1970: 0),
            endsAt: Date(timeIntervalSince1970: 60),
            capacity: try terms.decode(Int.self, forKey: .capacity),
            price: try terms.decode(SeatPrice.self, forKey: .price),
            cancellation: try terms.decodeIfPresent(CancellationPolicy.self, forKey: .cancellation),
            limits: try terms.decodeIfPresent(ClassLimits.self, forKey: .limits),
            waitlist: try terms.decodeIfPresent(WaitlistPolicy.self, forKey: .waitlist),
            policyID: try terms.decodeIfPresent(String.self, forKey: .policyID)
        )
        self.weekdays = try container.decode([String].self, forKey: .weekdays)
        self.startTime = try container.decode(String.self, forKey: .startTime)
        self.minutes = minutes
        self.timeZone = try container.decodeIfPresent(StudioTimeZone.self, forKey: .timeZone)
        self.fromDate = try container.decode(CalendarDay.self, forKey: .fromDate)
        self.endsOn = try container.decodeIfPresent(CalendarDay.self, forKey: .endsOn)
        self.exceptions = try container.decodeIfPresent([CalendarDay].self, forKey: .exceptions) ?? []
        self.createDaysAhead = try container.decodeIfPresent(Int.self, forKey: .createDaysAhead)
    }

    enum CodingKeys: String, CodingKey {
        case weekdays
        case startTime = "start_time"
        case minutes
        case timeZone = "time_zone"
        case fromDate = "from_date"
        case endsOn = "ends_on"
        case exceptions
        case createDaysAhead = "create_days_ahead"
    }
}

extension SeriesDefinition {
    /// The days of the week, in the order of the calendar.
    package static let allWeekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Refuses members of the correct type whose values no series can have.
    ///
    /// - Returns: The definition.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked() throws -> SeriesDefinition {
        _ = try self.terms.checked()
        guard !self.weekdays.isEmpty, self.weekdays.allSatisfy(Self.allWeekdays.contains) else {
            throw WalletError.member(
                "weekdays",
                "must contain one or more of \(Self.allWeekdays.joined(separator: ", "))",
                Received(self.weekdays.joined(separator: ", "))
            )
        }
        guard self.startTime.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?/) != nil else {
            throw WalletError.member("start_time", "must be a time such as 18:30", Received(self.startTime))
        }
        try OperatorNumber.check(self.minutes, "minutes", 1...1_440)
        guard self.exceptions.count <= 1_000 else {
            throw WalletError.member("exceptions", "must have at most 1000 days", Received(self.exceptions.count))
        }
        try OperatorNumber.check(self.createDaysAhead, "create_days_ahead", 1...366)
        return self
    }
}

/// A day of the calendar, without a time and a time zone.
public struct CalendarDay: Codable, Sendable, Hashable {
    /// The day, such as `2026-11-28`.
    public let text: String

    /// Creates a day.
    ///
    /// - Parameter text: A day of the calendar, such as `2026-11-28`.
    public init?(_ text: String) {
        guard RFC3339(day: text) != nil else { return nil }
        self.text = text
    }

    /// Decodes a day from its text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let day = Self(text) else {
            throw DecodingError.outside("a day such as 2026-11-28", decoder.codingPath)
        }
        self = day
    }

    /// Encodes the day as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}

extension StudioTimeZone: Codable {
    /// Decodes a time zone from its name.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let zone = Self(name) else {
            throw DecodingError.outside("UTC or a name such as Europe/Berlin", decoder.codingPath)
        }
        self = zone
    }

    /// Encodes the time zone as its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.name)
    }
}

extension DecodingError {
    /// Returns the error for a value that is not one of the allowed values.
    static func outside(_ allowed: String, _ path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(codingPath: path, debugDescription: "not allowed", underlyingError: AllowedValues(allowed))
        )
    }
}

/// A series in the columns of `admin.series`.
struct SeriesColumns: Encodable {
    let definition: SeriesDefinition

    func encode(to encoder: any Encoder) throws {
        // The database ignores the times of the class.
        try ClassColumns(definition: self.definition.terms).encode(to: encoder)
        var container = encoder.container(keyedBy: SeriesDefinition.CodingKeys.self)
        try container.encode(self.definition.weekdays, forKey: .weekdays)
        try container.encode(self.definition.startTime, forKey: .startTime)
        try container.encode(self.definition.minutes, forKey: .minutes)
        try container.encodeIfPresent(self.definition.timeZone, forKey: .timeZone)
        try container.encode(self.definition.fromDate, forKey: .fromDate)
        try container.encodeIfPresent(self.definition.endsOn, forKey: .endsOn)
        try container.encode(self.definition.exceptions, forKey: .exceptions)
        try container.encodeIfPresent(self.definition.createDaysAhead, forKey: .createDaysAhead)
    }
}
