/// The store of sale, named as the wallet's database names it.
///
/// A middleman that reports other stores' sales is never a store of sale itself. Names that this build does not know
/// survive decoding, so that a newer writer and an older reader agree on the rest of a fact.
public struct StoreName: RawRepresentable, Codable, Hashable, Sendable {
    /// The name as it stands in JSON and in the database.
    public let rawValue: String

    /// Creates a store's name.
    /// - Parameter rawValue: the name as it stands in JSON and in the database.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple's App Store.
    public static let appStore = StoreName(rawValue: "app_store")
    /// Google Play.
    public static let playStore = StoreName(rawValue: "play_store")
}
