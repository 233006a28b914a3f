/// The store that sold a purchase, with the name that the wallet's database uses.
///
/// A service that reports sales of other stores, such as RevenueCat, is never the store of sale. Unknown names survive
/// decoding, so that an older reader can still use the rest of a newer fact.
public struct StoreName: RawRepresentable, Codable, Hashable, Sendable {
    /// The name in JSON and in the database.
    public let rawValue: String

    /// Creates a store's name.
    /// - Parameter rawValue: The name in JSON and in the database.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple's App Store.
    public static let appStore = StoreName(rawValue: "app_store")
    /// Google Play.
    public static let playStore = StoreName(rawValue: "play_store")
}
