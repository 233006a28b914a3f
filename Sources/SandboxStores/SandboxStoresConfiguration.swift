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

    /// The credentials that RevenueCat and the wallet share.
    public struct RevenueCat: Sendable {
        /// The bearer token that `GET /v1/subscribers/{app_user_id}` requires.
        public var apiKey: String
        /// The value of the webhooks' `Authorization` header; nil sends none.
        public var authorization: String?
        /// The secret that signs the webhooks; nil leaves them unsigned.
        public var signingSecret: String?
        /// The entitlement that every subscription grants.
        public var entitlementID: String

        /// Creates RevenueCat's part of a configuration.
        /// - Parameters:
        ///   - apiKey: The key of the API.
        ///   - authorization: The value of the webhooks' `Authorization` header, nil for none.
        ///   - signingSecret: The secret that signs the webhooks, nil for none.
        ///   - entitlementID: The entitlement that every subscription grants.
        public init(
            apiKey: String,
            authorization: String? = nil,
            signingSecret: String? = nil,
            entitlementID: String = "premium"
        ) {
            self.apiKey = apiKey
            self.authorization = authorization
            self.signingSecret = signingSecret
            self.entitlementID = entitlementID
        }
    }

    /// The settings and credentials that Google Play and the wallet share.
    public struct GooglePlay: Sendable {
        /// The package name of the app.
        public var packageName: String
        /// The only service account that may call the API.
        public var serviceAccountEmail: String
        /// The service account's RSA public key, 2048 bits or more, as PEM.
        public var serviceAccountPublicKey: String
        /// The audience of the pushes' tokens.
        public var pushAudience: String
        /// The service account that signs the tokens of Pub/Sub pushes.
        public var pushEmail: String
        /// The Pub/Sub subscription in the pushes.
        public var pushSubscription: String

        /// Creates Google Play's part of a configuration.
        /// - Parameters:
        ///   - packageName: The package name of the app.
        ///   - serviceAccountEmail: The service account that may call the API.
        ///   - serviceAccountPublicKey: The service account's RSA public key as PEM.
        ///   - pushAudience: The audience of the pushes' tokens.
        ///   - pushEmail: The service account that signs the pushes' tokens.
        ///   - pushSubscription: The Pub/Sub subscription in the pushes.
        public init(
            packageName: String,
            serviceAccountEmail: String,
            serviceAccountPublicKey: String,
            pushAudience: String,
            pushEmail: String,
            pushSubscription: String = "projects/sandbox/subscriptions/play-notifications"
        ) {
            self.packageName = packageName
            self.serviceAccountEmail = serviceAccountEmail
            self.serviceAccountPublicKey = serviceAccountPublicKey
            self.pushAudience = pushAudience
            self.pushEmail = pushEmail
            self.pushSubscription = pushSubscription
        }
    }
}

/// The key that may call the App Store Server API, as registered in App Store Connect.
public struct ServerAPIAccess: Sendable {
    /// The issuer id in the tokens' `iss` claim.
    public var issuerID: String
    /// The key id in the tokens' `kid` header.
    public var keyID: String
    /// The P-256 public key that verifies the tokens, in PEM.
    public var publicKeyPEM: String

    /// Creates the access.
    /// - Parameters:
    ///   - issuerID: The issuer id in the tokens' `iss` claim.
    ///   - keyID: The key id in the tokens' `kid` header.
    ///   - publicKeyPEM: The P-256 public key that verifies the tokens, in PEM.
    public init(issuerID: String, keyID: String, publicKeyPEM: String) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
    }
}

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
