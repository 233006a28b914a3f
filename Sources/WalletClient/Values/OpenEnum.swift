/// A string value with known cases that also keeps unknown values of later wallet versions.
///
/// Compare it or switch over it like an enumeration, with a `default` for unknown values:
///
///     switch booking.status {
///     case .booked: …
///     case .cancelled: …
///     default: Text(booking.status.rawValue)
///     }
public protocol OpenEnum: RawRepresentable<String>, Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    init(rawValue: String)
}

extension OpenEnum {
    /// Creates a value; values that this version does not define are valid.
    /// - Parameter value: The value as the wallet sends it.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The value as the wallet sends it.
    public var description: String { self.rawValue }
}
