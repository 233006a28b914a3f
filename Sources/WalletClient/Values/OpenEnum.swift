/// A text of which this version knows some values, and which keeps those of later versions of the wallet.
///
/// Compare it or switch over it like an enumeration, with a `default` for what is new:
///
///     switch booking.status {
///     case .booked: …
///     case .cancelled: …
///     default: Text(booking.status.rawValue)
///     }
public protocol OpenEnum: RawRepresentable<String>, Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// Takes any value, known or not.
    /// - Parameter rawValue: the value as the wallet sends it.
    init(rawValue: String)
}

extension OpenEnum {
    /// Takes any value, known or not.
    /// - Parameter value: the value as the wallet sends it.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The value as the wallet sends it.
    public var description: String { self.rawValue }
}
