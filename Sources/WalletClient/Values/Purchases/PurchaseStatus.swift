/// The status of a purchase; the value of a ``SkipReason`` if nothing was granted.
public struct PurchaseStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The whole grant is left.
    public static let granted = Self(rawValue: "granted")
    /// A part of the grant is left.
    public static let partlyConsumed = Self(rawValue: "partly_consumed")
    /// No part of the grant is left.
    public static let consumed = Self(rawValue: "consumed")
    /// The store refunded it.
    public static let refunded = Self(rawValue: "refunded")
}
