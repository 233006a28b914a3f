/// What the sandbox stores sell, where they listen and where they keep what was sold.
public struct SandboxStoresConfiguration: Sendable {
    /// The address to listen on; loopback, since anyone who reaches the stores can make purchases.
    public var host: String
    /// The port to listen on; 0 takes a free one, which ``SandboxStores/boundPort()`` returns.
    public var port: Int
    /// The folder in which the state is kept, made if need be; nil keeps it in memory only.
    public var directory: String?
    /// What is sold at the start.
    public var products: [SandboxProduct]
    /// What is sold now, beside ``products``; asked before each sale, renewal and move of the clock.
    public var catalogue: @Sendable () async throws -> [SandboxProduct] = { [] }
    /// The app whose purchases these are, unless a control names another.
    public var bundleID: String
    /// The shared secret that the verification endpoint wants, nil for none.
    public var sharedSecret: String?
    /// The App Store's number of the app, sent in production.
    public var appAppleID: Int64
    /// Who may call the App Store Server API; nil refuses everyone.
    public var serverAPI: ServerAPIAccess?
    /// RevenueCat's face; nil leaves it out.
    public var revenueCat: RevenueCat?
    /// Google Play's face; nil leaves it out.
    public var googlePlay: GooglePlay?
    /// Where the stores post what happens.
    public var notifications: NotificationReceivers
    /// Called with the whole offset in seconds before a move of the clock counts; if it throws, the clock stays.
    public var onClockAdvance: @Sendable (_ offsetSeconds: Int) async throws -> Void

    /// Creates a configuration.
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - port: the port to listen on, 0 for a free one.
    ///   - directory: the folder in which the state is kept, nil for memory only.
    ///   - products: what is sold.
    ///   - bundleID: the app whose purchases these are.
    ///   - sharedSecret: the shared secret that the verification endpoint wants, nil for none.
    ///   - appAppleID: the App Store's number of the app.
    ///   - serverAPI: who may call the App Store Server API; nil refuses everyone.
    ///   - notifications: where the stores post what happens; nowhere by default.
    ///   - onClockAdvance: called with the whole offset before a move of the clock counts.
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
