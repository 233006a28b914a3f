/// The attendance of a booking.
public struct Attendance: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The attendance is not marked yet.
    public static let unmarked = Self(rawValue: "unmarked")
    /// The member was at the class.
    public static let attended = Self(rawValue: "attended")
    /// The member did not come.
    public static let noShow = Self(rawValue: "no_show")
    /// The member did not come, and the studio excused it.
    public static let excused = Self(rawValue: "excused")
}
