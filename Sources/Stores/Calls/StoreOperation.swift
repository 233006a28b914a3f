/// An operation of a store as a label in metrics: one of a fixed set, independent of the ids in a call.
struct StoreOperation: Hashable, Sendable {
    let store: String
    let name: String

    /// The operation of requests without a specific name.
    static let other = Self(store: "other", name: "other")

    static let verifyReceipt = Self(store: "app_store", name: "verify_receipt")
    static let appStoreTransaction = Self(store: "app_store", name: "transaction")
    static let appStoreTransactions = Self(store: "app_store", name: "transactions")
    static let appStoreSubscriptions = Self(store: "app_store", name: "subscriptions")
    static let appStoreNotifications = Self(store: "app_store", name: "notifications")
    static let appStoreConsumption = Self(store: "app_store", name: "consumption")

    static let playToken = Self(store: "google_play", name: "token")
    static let playProduct = Self(store: "google_play", name: "product")
    static let playSubscription = Self(store: "google_play", name: "subscription")
    static let playVoided = Self(store: "google_play", name: "voided")
    static let playRefundReview = Self(store: "google_play", name: "refund_review")
    static let playDelivery = Self(store: "google_play", name: "delivery")

    static let revenueCatCustomer = Self(store: "revenuecat", name: "customer")
}
