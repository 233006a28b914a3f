/// A store that sells products.
public struct StoreName: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The App Store.
    public static let appStore = Self(rawValue: "app_store")
    /// Google Play.
    public static let playStore = Self(rawValue: "play_store")
    /// RevenueCat.
    public static let revenueCat = Self(rawValue: "revenuecat")
}
