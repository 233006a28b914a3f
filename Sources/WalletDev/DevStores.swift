import Crypto
import CryptoExtras
import Foundation
import SandboxStores
import Stores
import Wallet
import WalletAPI

/// The shared configuration of the wallet and the sandbox stores in a `dev` directory.
struct DevStores: Sendable {
    static let bundleID = "com.hobbyist.bookingapp"
    private static let keyID = "DEVKEY0001"
    private static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    private static let serviceAccount = "wallet@dev.credit-wallet.invalid"
    private static let pushEmail = "push@dev.credit-wallet.invalid"
    private static let pushAudience = "https://dev.credit-wallet.invalid/webhooks/google-play"

    /// The first second of 2020, before any sale of the sandbox stores.
    private static let grantsFrom: Double = 1_577_836_800

    let secrets: DevSecrets
    let storeURL: String

    /// Returns the addresses to which the stores send notifications, once the wallet listens.
    static func receivers(port: Int) -> NotificationReceivers {
        let webhooks = "http://127.0.0.1:\(port)/webhooks"
        return NotificationReceivers(
            appStoreURL: "\(webhooks)/app-store",
            revenueCatURL: "\(webhooks)/revenuecat",
            googlePlayURL: "\(webhooks)/google-play"
        )
    }

    /// Enables grants for Google Play; the seed already enables the App Store.
    static func enable(in wallet: Wallet) async throws {
        let instant = Date(timeIntervalSince1970: Self.grantsFrom)
        try await wallet.enableStore(StoreName.playStore.rawValue, grantsFrom: instant)
    }

    /// Configures the stores with the public halves of the wallet's keys and with the shared secrets.
    func configure(_ configuration: inout SandboxStoresConfiguration) throws {
        configuration.serverAPI = ServerAPIAccess(
            issuerID: Self.issuerID,
            keyID: Self.keyID,
            publicKeyPEM: try P256.Signing.PrivateKey(pemRepresentation: self.secrets.appStoreKey)
                .publicKey.pemRepresentation
        )
        configuration.revenueCat = SandboxStoresConfiguration.RevenueCat(
            apiKey: self.secrets.revenueCatAPIKey,
            authorization: self.secrets.revenueCatAuthorization,
            signingSecret: self.secrets.revenueCatSigningSecret
        )
        configuration.googlePlay = SandboxStoresConfiguration.GooglePlay(
            packageName: Self.bundleID,
            serviceAccountEmail: Self.serviceAccount,
            serviceAccountPublicKey: try _RSA.Signing.PrivateKey(pemRepresentation: self.secrets.googlePlayKey)
                .publicKey.pemRepresentation,
            pushAudience: Self.pushAudience,
            pushEmail: Self.pushEmail
        )
    }

    /// Returns the wallet's store configuration, with the sandbox stores' root certificate and addresses instead of the
    /// vendors'.
    func configuration(root: Data) -> StoresConfiguration {
        var stores = StoresConfiguration()
        stores.receipts = AppStoreReceiptConfiguration(
            bundleIDs: [Self.bundleID],
            sharedSecret: self.secrets.appStoreSharedSecret,
            productionURL: "\(self.storeURL)/verifyReceipt",
            sandboxURL: "\(self.storeURL)/sandbox/verifyReceipt"
        )
        var signedData = SignedDataConfiguration(bundleIDs: [Self.bundleID])
        signedData.roots = [Array(root)]
        stores.signedData = signedData
        stores.serverAPI = AppStoreServerAPIConfiguration(
            issuerID: Self.issuerID,
            keyID: Self.keyID,
            privateKeyPEM: self.secrets.appStoreKey,
            bundleID: Self.bundleID,
            productionURL: self.storeURL,
            sandboxURL: "\(self.storeURL)/sandbox-api"
        )
        stores.offers = StoresConfiguration.OfferKey(
            keyID: Self.keyID,
            privateKeyPEM: self.secrets.appStoreKey,
            bundleID: Self.bundleID
        )
        stores.sharesConsumption = true
        self.addOthers(to: &stores)
        return stores
    }

    private func addOthers(to stores: inout StoresConfiguration) {
        stores.revenueCatWebhook = RevenueCatWebhookConfiguration(
            authorizations: [self.secrets.revenueCatAuthorization],
            signingSecrets: [self.secrets.revenueCatSigningSecret]
        )
        stores.revenueCat = RevenueCatAPIConfiguration(
            secretKey: self.secrets.revenueCatAPIKey,
            baseURL: self.storeURL
        )
        stores.googlePlay = GooglePlayConfiguration(
            packageName: Self.bundleID,
            serviceAccountEmail: Self.serviceAccount,
            privateKeyPEM: self.secrets.googlePlayKey,
            tokenURL: "\(self.storeURL)/token",
            baseURL: self.storeURL
        )
        var pushes = PushConfiguration(
            audience: Self.pushAudience,
            email: Self.pushEmail,
            keysURL: "\(self.storeURL)/oauth2/v3/certs"
        )
        pushes.keySets.allowsPlainLoopback = true
        stores.pushes = pushes
        stores.refundReviews = .neutral
    }
}

extension Wallet {
    /// Returns the products of the sandbox stores: all catalogue products that have a store id of the App Store or
    /// Google Play.
    func sandboxProducts() async throws -> [SandboxProduct] {
        let packs = try await self.packs().compactMap { pack in
            SandboxProduct(
                pack.storeIDs,
                alias: pack.productID,
                kind: pack.kind == "pass" ? .nonRenewing : .consumable
            )
        }
        let plans = try await self.plans().compactMap { plan in
            SandboxProduct(
                plan.storeIDs,
                alias: plan.productID,
                kind: .subscription,
                periodSeconds: Self.seconds(of: plan.period)
            )
        }
        return packs + plans
    }

    /// Returns the length of a period such as `P1M` in seconds; in the sandbox stores, a month has 30 days and a year
    /// 365.
    private static func seconds(of period: String) -> Int {
        let days: [Character: Int] = ["D": 1, "W": 7, "M": 30, "Y": 365]
        let count = Int(period.dropFirst().dropLast()) ?? 1
        return count * (period.last.flatMap { days[$0] } ?? 30) * 86_400
    }
}

extension SandboxProduct {
    fileprivate init?(_ ids: StoreIDs, alias: String, kind: Kind, periodSeconds: Int = 30 * 86_400) {
        guard let id = ids.appStore ?? ids.playStore else { return nil }
        self.init(
            storeProductID: id,
            playStoreProductID: ids.playStore,
            alias: alias,
            kind: kind,
            periodSeconds: periodSeconds
        )
    }
}
