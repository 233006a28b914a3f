public import Foundation

/// The payment method of a booking.
public struct PaymentMethod: OpenEnum {
    /// The value as the wallet takes it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet accepts it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A plan that books without limit.
    public static let unlimited = Self(rawValue: "unlimited")
    /// The class's price in visits.
    public static let visits = Self(rawValue: "visits")
    /// The class's price in credits.
    public static let credits = Self(rawValue: "credits")

    /// Creates the method that pays from one lot only.
    /// - Parameter id: The lot's id, from ``Balance/lots``.
    /// - Returns: The payment method.
    public static func lot(_ id: UUID) -> Self {
        Self(rawValue: id.uuidString.lowercased())
    }
}
