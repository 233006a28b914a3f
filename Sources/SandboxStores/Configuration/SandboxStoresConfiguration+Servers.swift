extension SandboxStoresConfiguration {
    /// What RevenueCat knows of the wallet, and the wallet of RevenueCat.
    public struct RevenueCat: Sendable {
        /// The key that `GET /v1/subscribers/{app_user_id}` wants as a bearer token.
        public var apiKey: String
        /// The `Authorization` value of the webhooks, sent as it is; nil sends none.
        public var authorization: String?
        /// The secret that signs the webhooks; nil leaves them unsigned.
        public var signingSecret: String?
        /// The entitlement that every subscription gives.
        public var entitlementID: String

        /// Creates RevenueCat's part of a configuration.
        /// - Parameters:
        ///   - apiKey: the key of the API.
        ///   - authorization: the `Authorization` value of the webhooks, nil for none.
        ///   - signingSecret: the secret that signs the webhooks, nil for none.
        ///   - entitlementID: the entitlement that every subscription gives.
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

    /// What Google Play knows of the wallet, and the wallet of Google Play.
    public struct GooglePlay: Sendable {
        /// The app whose purchases these are, as Google names it.
        public var packageName: String
        /// The one service account that may call the API.
        public var serviceAccountEmail: String
        /// The service account's RSA public key, 2048 bits or more, as PEM.
        public var serviceAccountPublicKey: String
        /// The audience of the pushes' tokens.
        public var pushAudience: String
        /// The service account by which Pub/Sub signs the pushes.
        public var pushEmail: String
        /// The subscription that the pushes say they come from.
        public var pushSubscription: String

        /// Creates Google Play's part of a configuration.
        /// - Parameters:
        ///   - packageName: the app, as Google names it.
        ///   - serviceAccountEmail: the service account that may call the API.
        ///   - serviceAccountPublicKey: its RSA public key as PEM.
        ///   - pushAudience: the audience of the pushes' tokens.
        ///   - pushEmail: the service account by which the pushes are signed.
        ///   - pushSubscription: the subscription that the pushes say they come from.
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
