/// What became of a purchase; the value of a ``SkipReason`` where nothing was granted.
public struct PurchaseStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// All of the grant is left.
    public static let granted = Self(rawValue: "granted")
    /// Some of the grant was spent.
    public static let partlyConsumed = Self(rawValue: "partly_consumed")
    /// Nothing of the grant is left.
    public static let consumed = Self(rawValue: "consumed")
    /// The store refunded it.
    public static let refunded = Self(rawValue: "refunded")
}
