public import Foundation

/// The payload of a signed app transaction, which describes a customer's copy of the app, with the App Store's names.
public struct AppTransaction: Decodable, Hashable, Sendable {
    /// The environment of the store.
    public var receiptType: AppStoreEnvironment?
    /// The App Store's number of the app; absent outside production.
    public var appAppleId: Int64?
    /// The bundle id of the app.
    public var bundleId: String?
    /// The version of the app.
    public var applicationVersion: String?
    /// The time at which the store signed the app transaction.
    public var receiptCreationDate: Date?
    /// The time at which the customer first got the app.
    public var originalPurchaseDate: Date?
    /// The version that the customer first got.
    public var originalApplicationVersion: String?
    /// The time at which the customer ordered the app before its release.
    public var preorderDate: Date?
    /// The id of the customer's copy of the app, the same for all purchases.
    public var appTransactionId: String?
    /// The platform on which the customer first got the app.
    public var originalPlatform: String?
}

extension AppTransaction: SignedPayload {
    var signedAt: Date? { self.receiptCreationDate }
    var namedEnvironment: AppStoreEnvironment? { self.receiptType }
}
