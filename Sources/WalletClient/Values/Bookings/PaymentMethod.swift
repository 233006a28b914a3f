public import Foundation

/// What a booking is to be paid with.
public struct PaymentMethod: OpenEnum {
    /// The value as the wallet takes it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet takes it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A plan that books without limit.
    public static let unlimited = Self(rawValue: "unlimited")
    /// The class's price in visits.
    public static let visits = Self(rawValue: "visits")
    /// The class's price in credits.
    public static let credits = Self(rawValue: "credits")

    /// One lot and no other.
    /// - Parameter id: the lot, as ``Balance/lots`` has it.
    /// - Returns: the method that pays from this lot.
    public static func lot(_ id: UUID) -> Self {
        Self(rawValue: id.uuidString.lowercased())
    }
}
