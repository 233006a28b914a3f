public import Foundation

/// What a signed app transaction says of a person's copy of the app, in the App Store's own names.
public struct AppTransaction: Decodable, Hashable, Sendable {
    /// The side of the store.
    public var receiptType: AppStoreEnvironment?
    /// The App Store's number of the app; absent outside production.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: String?
    /// The version of the app.
    public var applicationVersion: String?
    /// When the store signed this.
    public var receiptCreationDate: Date?
    /// When the person first got the app.
    public var originalPurchaseDate: Date?
    /// The version that the person first got.
    public var originalApplicationVersion: String?
    /// When the person ordered the app before its release.
    public var preorderDate: Date?
    /// The id of the person's copy of the app, the same over all purchases.
    public var appTransactionId: String?
    /// The platform on which the person first got the app.
    public var originalPlatform: String?
}

extension AppTransaction: SignedPayload {
    var signedAt: Date? { self.receiptCreationDate }
    var namedEnvironment: AppStoreEnvironment? { self.receiptType }
}
