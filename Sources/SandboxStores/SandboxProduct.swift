/// A product that the sandbox stores sell.
public struct SandboxProduct: Sendable, Hashable {
    /// What a store makes of a product.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Used up by the app, and gone from the receipt once the app has finished it.
        case consumable
        /// Bought once for a stretch of time that the app measures by itself.
        case nonRenewing = "non_renewing"
        /// Renewed by the store, period by period.
        case subscription
    }

    /// The product as the stores name it.
    public let storeProductID: String
    /// The product as Google Play names it, where that is another name.
    public let playStoreProductID: String?
    /// Another name by which the controls accept it: the wallet's own id of the product.
    public let alias: String?
    /// What the store makes of it.
    public let kind: Kind
    /// How long a period of a subscription is; nothing to other kinds.
    public let periodSeconds: Int

    /// Creates a product.
    /// - Parameters:
    ///   - storeProductID: the product as the stores name it.
    ///   - playStoreProductID: the product as Google Play names it, where that is another name.
    ///   - alias: another name by which the controls accept it.
    ///   - kind: what the store makes of it.
    ///   - periodSeconds: how long a period of a subscription is; 30 days by default.
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

    /// How long a period is, or one of the parts in which it is billed.
    func length(inParts parts: Int?) -> Double { Double(self.periodSeconds) / Double(parts ?? 1) }

    /// The product as a store names it.
    func id(at store: SandboxStore) -> String {
        switch store {
        case .appStore: self.storeProductID
        case .googlePlay: self.playStoreProductID ?? self.storeProductID
        }
    }
}
