extension SandboxStoresConfiguration {
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
