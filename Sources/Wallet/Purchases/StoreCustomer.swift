public import Stores

/// A purchase of an account about which its store can be asked.
public struct StoreCustomer: Sendable, Equatable {
    /// The account.
    public var accountID: Int64
    /// Who is behind the account; nil for a deleted one.
    public var userID: UserID?
    /// The store of sale.
    public var store: StoreName
    /// The side of the store.
    public var environment: WalletEnvironment
    /// Whether it is a subscription.
    public var isSubscription: Bool
    /// The product as the store names it.
    public var storeProductID: String
    /// Google Play's token of the purchase.
    public var purchaseToken: String?
    /// A transaction of it: the first of a subscription, where that is known.
    public var transactionID: String?
}

/// A granted purchase that Google Play waits to have acknowledged.
public struct UnacknowledgedPurchase: Sendable, Equatable {
    /// The purchase in the books.
    public var claimID: Int64
    /// Whether it is a subscription.
    public var isSubscription: Bool
    /// The product as the store names it.
    public var storeProductID: String
    /// The token of the purchase.
    public var purchaseToken: String
}

/// What the books lack of what a store says.
public struct Difference: RawRepresentable, Hashable, Sendable {
    /// The name of the difference.
    public let rawValue: String

    /// Names a difference.
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A purchase was never granted.
    public static let missingGrant = Difference(rawValue: "missing-grant")
    /// A purchase was granted for fewer pieces than were bought.
    public static let missingAmount = Difference(rawValue: "missing-amount")
    /// The store gave money back and the books do not know.
    public static let unseenRefund = Difference(rawValue: "unseen-refund")
    /// The store took a refund back and the books do not know.
    public static let unseenReversal = Difference(rawValue: "unseen-reversal")
    /// A subscription has another status, end or renewal than the books say.
    public static let wrongStatus = Difference(rawValue: "wrong-status")
}
