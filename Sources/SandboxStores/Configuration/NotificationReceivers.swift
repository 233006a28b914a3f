/// The URLs to which the stores post notifications; a store without a URL posts none.
///
/// The App Store and RevenueCat report purchases of the App Store; Google Play and RevenueCat report those of Google
/// Play.
public struct NotificationReceivers: Sendable {
    /// The receiver of App Store Server Notifications V2.
    public var appStoreURL: String?
    /// The receiver of RevenueCat's webhooks.
    public var revenueCatURL: String?
    /// The receiver of Google Play's real-time developer notifications, in the format of a Pub/Sub push.
    public var googlePlayURL: String?
    /// A Boolean value that indicates whether a control responds only after the receivers have responded, or after five
    /// seconds.
    public var wait: Bool

    /// Creates the receivers.
    /// - Parameters:
    ///   - appStoreURL: The receiver of App Store Server Notifications V2, nil for none.
    ///   - revenueCatURL: The receiver of RevenueCat's webhooks, nil for none.
    ///   - googlePlayURL: The receiver of Google Play's notifications, nil for none.
    ///   - wait: `true` if a control waits up to five seconds for the receivers, which makes scripts deterministic.
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
