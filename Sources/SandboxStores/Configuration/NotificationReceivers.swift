/// Where the stores post what happens; a store without an address posts nothing.
///
/// Purchases of the App Store are reported by the App Store and by RevenueCat, those of Google Play by Google Play and by
/// RevenueCat.
public struct NotificationReceivers: Sendable {
    /// Gets App Store Server Notifications V2.
    public var appStoreURL: String?
    /// Gets RevenueCat's webhooks.
    public var revenueCatURL: String?
    /// Gets Google Play's real-time developer notifications, pushed by Pub/Sub.
    public var googlePlayURL: String?
    /// Whether a control answers only after the receivers have, or five seconds have passed.
    public var wait: Bool

    /// Creates the addresses.
    /// - Parameters:
    ///   - appStoreURL: gets App Store Server Notifications V2, nil for none.
    ///   - revenueCatURL: gets RevenueCat's webhooks, nil for none.
    ///   - googlePlayURL: gets Google Play's notifications, nil for none.
    ///   - wait: whether a control waits, up to five seconds, for the receivers; scripts are then deterministic.
    public init(
        appStoreURL: String? = nil,
        revenueCatURL: String? = nil,
        googlePlayURL: String? = nil,
        wait: Bool = true
    ) {
        self.appStoreURL = appStoreURL
        self.revenueCatURL = revenueCatURL
        self.googlePlayURL = googlePlayURL
        self.wait = wait
    }
}
