import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import SandboxStores
import Stores
import WalletAPI

/// The shared configuration of the tests' wallet and sandbox stores.
enum SandboxPeers {
    static let bundleID = "com.example.app"
    static let appStoreKey = P256.Signing.PrivateKey()
    static let appStoreKeyID = "TESTKEY001"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    static let authorization = "Bearer revenuecat-sends-this-value-in-tests"
    static let signingSecret = "revenuecat-signs-with-this-secret-in-tests"
    static let apiKey = "sk_revenuecat_key_of_tests"
    static let serviceAccount = "wallet@tests.invalid"
    static let pushEmail = "push@tests.invalid"
    static let pushAudience = "https://wallet.example/webhooks/google-play"
    // Created once, because the generation takes a good part of a second.
    static let playKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// Returns stores that sell the pack, the plan and the passes, and record their messages without posting them.
    static func stores() throws -> SandboxStores {
        var configuration = SandboxStoresConfiguration(
            port: 0,
            directory: nil,
            products: [
                SandboxProduct(storeProductID: ServerHarness.pack, kind: .consumable),
                SandboxProduct(storeProductID: ServerHarness.plan, kind: .subscription),
                SandboxProduct(storeProductID: ServerHarness.unlisted, kind: .consumable),
            ] + ServerHarness.passes.map { SandboxProduct(storeProductID: $0, kind: .nonRenewing) },
            bundleID: Self.bundleID,
            serverAPI: ServerAPIAccess(
                issuerID: Self.issuerID,
                keyID: Self.appStoreKeyID,
                publicKeyPEM: Self.appStoreKey.publicKey.pemRepresentation
            ),
            notifications: NotificationReceivers(
                appStoreURL: "http://127.0.0.1:1/app-store",
                revenueCatURL: "http://127.0.0.1:1/revenuecat",
                googlePlayURL: "http://127.0.0.1:1/google-play"
            )
        )
        configuration.revenueCat = SandboxStoresConfiguration.RevenueCat(apiKey: Self.apiKey)
        configuration.googlePlay = SandboxStoresConfiguration.GooglePlay(
            packageName: Self.bundleID,
            serviceAccountEmail: Self.serviceAccount,
            serviceAccountPublicKey: try Self.playKey.get().publicKey.pemRepresentation,
            pushAudience: Self.pushAudience,
            pushEmail: Self.pushEmail
        )
        return try SandboxStores(configuration: configuration, logger: .silent)
    }

    /// Returns clients for all of those stores.
    static func clients(of stores: SandboxStores, port: Int) throws -> StoreClients {
        let base = "http://127.0.0.1:\(port)"
        var clients = StoreClients()
        clients.receipts = Self.receipts(base)
        var signedData = SignedDataConfiguration(bundleIDs: [Self.bundleID])
        signedData.roots = [Array(stores.rootCertificate)]
        let verifier = SignedDataVerifier(configuration: signedData, httpClient: .shared, logger: .silent)
        clients.signedData = verifier
        var api = AppStoreServerAPIConfiguration(
            issuerID: Self.issuerID,
            keyID: Self.appStoreKeyID,
            privateKeyPEM: Self.appStoreKey.pemRepresentation,
            bundleID: Self.bundleID,
            productionURL: base,
            sandboxURL: "\(base)/sandbox-api"
        )
        api.limits.retryDelay = .milliseconds(5)
        clients.serverAPI = try AppStoreServerAPI(
            configuration: api,
            verifier: verifier,
            httpClient: .shared,
            logger: .silent
        )
        clients.offers = try PromotionalOfferSigner(
            keyID: Self.appStoreKeyID,
            privateKeyPEM: Self.appStoreKey.pemRepresentation
        )
        clients.offerBundleID = Self.bundleID
        try Self.addOthers(to: &clients, base)
        return clients
    }

    /// Returns a verifier of receipts that uses the given address.
    static func receipts(_ base: String) -> AppStoreReceiptVerifier {
        var configuration = AppStoreReceiptConfiguration(
            bundleIDs: [Self.bundleID],
            productionURL: base + "/verifyReceipt",
            sandboxURL: base + "/sandbox/verifyReceipt"
        )
        configuration.limits.retryDelay = .milliseconds(5)
        return AppStoreReceiptVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
    }

    /// Returns a verifier of those stores' pushes.
    static func pushes(port: Int) async throws -> PushVerifier {
        var configuration = PushConfiguration(
            audience: Self.pushAudience,
            email: Self.pushEmail,
            keysURL: "http://127.0.0.1:\(port)/oauth2/v3/certs"
        )
        configuration.keySets.allowsPlainLoopback = true
        return try PushVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
    }

    private static func addOthers(to clients: inout StoreClients, _ base: String) throws {
        clients.revenueCatWebhook = RevenueCatWebhook(
            configuration: RevenueCatWebhookConfiguration(
                authorizations: [Self.authorization],
                signingSecrets: [Self.signingSecret]
            )
        )
        var revenueCat = RevenueCatAPIConfiguration(secretKey: Self.apiKey, baseURL: base)
        revenueCat.limits.retryDelay = .milliseconds(5)
        clients.revenueCat = RevenueCatAPI(configuration: revenueCat, httpClient: .shared, logger: .silent)
        var play = GooglePlayConfiguration(
            packageName: Self.bundleID,
            serviceAccountEmail: Self.serviceAccount,
            privateKeyPEM: try Self.playKey.get().pemRepresentation,
            tokenURL: "\(base)/token",
            baseURL: base
        )
        play.limits.retryDelay = .milliseconds(5)
        clients.googlePlay = GooglePlayAPI(configuration: play, httpClient: .shared, logger: .silent)
        clients.googlePlayNotifications = GooglePlayNotifications(packageName: Self.bundleID)
    }
}
