/// A product's identifiers in the stores that sell it.
public struct StoreIDs: Codable, Sendable, Hashable {
    /// The App Store product id.
    public var appStore: String?
    /// The Google Play product id.
    public var playStore: String?
    /// The RevenueCat product id.
    public var revenueCat: String?

    /// Creates a value of the given properties, for previews and tests.
    public init(
        appStore: String? = nil,
        playStore: String? = nil,
        revenueCat: String? = nil
    ) {
        self.appStore = appStore
        self.playStore = playStore
        self.revenueCat = revenueCat
    }

    private enum CodingKeys: String, CodingKey {
        case appStore = "app_store"
        case playStore = "play_store"
        case revenueCat = "revenuecat"
    }
}
