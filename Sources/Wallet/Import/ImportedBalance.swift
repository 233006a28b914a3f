import Stores

/// A user's balance in another system, and its history.
public struct ImportedBalance: Sendable, Equatable {
    /// One movement in the history of the credits.
    public struct Movement: Sendable, Equatable, Encodable {
        /// The time of the movement.
        public var at: ImportInstant
        /// The number of credits added (positive) or removed (negative).
        public var amount: Int64
        /// The other system's name for this kind of movement.
        public var kind: String
        /// The other system's text for the movement; erased together with the user.
        public var reason: String?

        /// Creates a movement.
        public init(at: ImportInstant, amount: Int64, kind: String, reason: String? = nil) {
            self.at = at
            self.amount = amount
            self.kind = kind
            self.reason = reason
        }
    }

    /// The user's id, as used by the issuer of tokens.
    public var user: UserID
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64
    /// The history of the credits; empty if the source has none.
    public var movements: [Movement]
    /// The time of the balance; `nil` for now.
    public var at: ImportInstant?
    /// The text for the balance itself.
    public var reason: String?
    /// The user's name and email address; `nil` if the source has neither.
    public var profile: UserProfile?

    /// Creates a balance.
    public init(
        user: UserID,
        credits: Int64,
        visits: Int64 = 0,
        movements: [Movement] = [],
        at: ImportInstant? = nil,
        reason: String? = nil,
        profile: UserProfile? = nil
    ) {
        self.user = user
        self.credits = credits
        self.visits = visits
        self.movements = movements
        self.at = at
        self.reason = reason
        self.profile = profile
    }
}

/// An instant in the text of another system, exact to the microsecond.
public struct ImportInstant: Sendable, Hashable, Comparable, Encodable {
    /// Microseconds since 1970 in UTC.
    public let microseconds: Int64
    /// The instant as text, with the offset of the source, or with `Z` if the source had none.
    public let text: String

    /// Creates an instant from RFC 3339, or from PostgreSQL's format: a space instead of the T, an offset in hours, or
    /// no offset, which means UTC.
    ///
    /// - Parameters:
    ///   - text: The instant, in 1970 or later.
    ///   - isZoneRequired: A Boolean value that indicates whether to refuse an instant without an offset.
    public init?(_ text: String, isZoneRequired: Bool = false) {
        let form =
            #/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?/#
            .asciiOnlyDigits()
        guard let parts = text.wholeMatch(of: form)?.output, parts.1 >= "1970" else { return nil }
        let offset = parts.3.map(String.init) ?? parts.4.map { "\($0):\(parts.5 ?? "00")" }
        guard offset != nil || !isZoneRequired, let instant = RFC3339("\(parts.1)T\(parts.2)\(offset ?? "Z")") else {
            return nil
        }
        self.microseconds = instant.seconds * 1_000_000 + instant.nanoseconds / 1_000
        self.text = text.replacing(" ", with: "T") + (offset == nil ? "Z" : "")
    }

    /// Returns a Boolean value that indicates whether the first instant is earlier.
    public static func < (one: Self, other: Self) -> Bool { one.microseconds < other.microseconds }

    /// Returns a Boolean value that indicates whether both are the same instant; their texts may differ.
    public static func == (one: Self, other: Self) -> Bool { one.microseconds == other.microseconds }

    /// Hashes the instant, independently of its text.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.microseconds) }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}
