public import Stores

/// A purchase of an account that can be looked up at its store.
public struct StoreCustomer: Sendable, Equatable {
    /// The account.
    public var accountID: Int64
    /// The account's user; `nil` for a deleted account.
    public var userID: UserID?
    /// The store that sold the purchase.
    public var store: StoreName
    /// The environment of the purchase.
    public var environment: WalletEnvironment
    /// A Boolean value that indicates whether the purchase is a subscription.
    public var isSubscription: Bool
    /// The store's product id.
    public var storeProductID: String
    /// Google Play's token of the purchase.
    public var purchaseToken: String?
    /// A transaction of the purchase; for a subscription the first one, if it is known.
    public var transactionID: String?
}

/// A granted purchase that Google Play expects to be acknowledged.
public struct UnacknowledgedPurchase: Sendable, Equatable {
    /// The purchase's id in the books.
    public var claimID: Int64
    /// A Boolean value that indicates whether the purchase is a subscription.
    public var isSubscription: Bool
    /// The store's product id.
    public var storeProductID: String
    /// Google Play's token of the purchase.
    public var purchaseToken: String
}

/// A difference between the books and a store's data.
public struct Difference: RawRepresentable, Hashable, Sendable {
    /// The name of the difference.
    public let rawValue: String

    /// Creates a difference.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A purchase was never granted.
    public static let missingGrant = Difference(rawValue: "missing-grant")
    /// A purchase was granted for a smaller quantity than was bought.
    public static let missingAmount = Difference(rawValue: "missing-amount")
    /// The store refunded a purchase, but the books do not contain the refund.
    public static let unseenRefund = Difference(rawValue: "unseen-refund")
    /// The store reversed a refund, but the books do not contain the reversal.
    public static let unseenReversal = Difference(rawValue: "unseen-reversal")
    /// A subscription's status, end or renewal differs from the books.
    public static let wrongStatus = Difference(rawValue: "wrong-status")
}
