/// A product that the sandbox stores sell.
public struct SandboxProduct: Sendable, Hashable {
    /// The kind of product.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Consumed by the app, and removed from the receipt when the app has finished it.
        case consumable
        /// Bought once for a time span that the app measures.
        case nonRenewing = "non_renewing"
        /// Renewed by the store for each period.
        case subscription
    }

    /// The product id at the stores.
    public let storeProductID: String
    /// The product id at Google Play, if it differs.
    public let playStoreProductID: String?
    /// Another id that the controls accept: the wallet's own product id.
    public let alias: String?
    /// The kind of product.
    public let kind: Kind
    /// The length of a subscription's period in seconds; ignored for other kinds.
    public let periodSeconds: Int

    /// Creates a product.
    /// - Parameters:
    ///   - storeProductID: The product id at the stores.
    ///   - playStoreProductID: The product id at Google Play, if it differs.
    ///   - alias: Another id that the controls accept.
    ///   - kind: The kind of product.
    ///   - periodSeconds: The length of a subscription's period in seconds; 30 days by default.
    public init(
        storeProductID: String,
        playStoreProductID: String? = nil,
        alias: String? = nil,
        kind: Kind,
        periodSeconds: Int = 30 * 86_400
    ) {
        self.storeProductID = storeProductID
        self.playStoreProductID = playStoreProductID
        self.alias = alias
        self.kind = kind
        self.periodSeconds = max(1, periodSeconds)
    }

    /// Returns the length of a period, or of each of the parts in which it is billed, in seconds.
    func length(inParts parts: Int?) -> Double { Double(self.periodSeconds) / Double(parts ?? 1) }

    /// Returns the product id at a store.
    func id(at store: SandboxStore) -> String {
        switch store {
        case .appStore: self.storeProductID
        case .googlePlay: self.playStoreProductID ?? self.storeProductID
        }
    }
}
