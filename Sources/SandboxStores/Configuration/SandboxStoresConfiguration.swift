/// The products, the addresses and the state folder of the sandbox stores.
public struct SandboxStoresConfiguration: Sendable {
    /// The address to listen on; loopback by default, since every client that reaches the stores can make purchases.
    public var host: String
    /// The port to listen on; 0 selects a free one, which ``SandboxStores/boundPort()`` returns.
    public var port: Int
    /// The folder for the state, which is created if necessary; nil keeps the state in memory only.
    public var directory: String?
    /// The products for sale at the start.
    public var products: [SandboxProduct]
    /// Returns the current products in addition to ``products``; called before each sale, renewal and move of the
    /// clock.
    public var catalogue: @Sendable () async throws -> [SandboxProduct] = { [] }
    /// The bundle id of the app, unless a control request specifies another.
    public var bundleID: String
    /// The shared secret that the verification endpoint requires, nil for none.
    public var sharedSecret: String?
    /// The App Store's number of the app, sent in production.
    public var appAppleID: Int64
    /// The key that may call the App Store Server API; nil refuses all calls.
    public var serverAPI: ServerAPIAccess?
    /// The RevenueCat part of the stores; nil disables it.
    public var revenueCat: RevenueCat?
    /// The Google Play part of the stores; nil disables it.
    public var googlePlay: GooglePlay?
    /// The URLs to which the stores post notifications.
    public var notifications: NotificationReceivers
    /// Called with the total offset in seconds before the clock moves; if it throws, the clock does not move.
    public var onClockAdvance: @Sendable (_ offsetSeconds: Int) async throws -> Void

    /// Creates a configuration.
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on, 0 for a free one.
    ///   - directory: The folder for the state, nil for memory only.
    ///   - products: The products for sale.
    ///   - bundleID: The bundle id of the app.
    ///   - sharedSecret: The shared secret that the verification endpoint requires, nil for none.
    ///   - appAppleID: The App Store's number of the app.
    ///   - serverAPI: The key that may call the App Store Server API; nil refuses all calls.
    ///   - notifications: The URLs to which the stores post notifications; none by default.
    ///   - onClockAdvance: Called with the total offset before the clock moves.
    public init(
        host: String = "127.0.0.1",
        port: Int,
        directory: String?,
        products: [SandboxProduct],
        bundleID: String,
        sharedSecret: String? = nil,
        appAppleID: Int64 = 1_234_567_890,
        serverAPI: ServerAPIAccess? = nil,
        notifications: NotificationReceivers = NotificationReceivers(),
        onClockAdvance: @escaping @Sendable (_ offsetSeconds: Int) async throws -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.directory = directory
        self.products = products
        self.bundleID = bundleID
        self.sharedSecret = sharedSecret
        self.appAppleID = appAppleID
        self.serverAPI = serverAPI
        self.notifications = notifications
        self.onClockAdvance = onClockAdvance
    }
}
