import AsyncHTTPClient
import CommandOutput
import CryptoExtras
import Foundation
import Logging
import Stores
import Wallet
import WalletAPI

extension ConfigurationKey {
    static let stores = Self(
        "STORES",
        .fallback("app_store"),
        "Enabled stores, separated by commas: app_store, play_store, revenuecat; none enables no store. The keys of a "
            + "store apply only if it is enabled; those without a default are then required."
    )
    static let sandboxPurchases = Self(
        "SANDBOX_PURCHASES",
        .fallback(SandboxPurchases.accept.rawValue),
        "Who gets credits, in the sandbox wallet, for purchases in the stores' test environments: accept (everybody, "
            + "as App Review needs), testers (users in admin.testers) or refuse (nobody)."
    )
}

extension SandboxPurchases {
    /// Reads who gets credits for purchases in the stores' test environments.
    ///
    /// - Configuration keys: `SANDBOX_PURCHASES`.
    init(reader: Settings) throws(CommandError) {
        guard let value = Self(rawValue: try reader.required(.sandboxPurchases)) else {
            throw ConfigurationKey.sandboxPurchases.refused("must be accept, testers or refuse.")
        }
        self = value
    }
}

extension StoresConfiguration {
    /// Reads the configuration of the enabled stores.
    ///
    /// - Configuration keys: `STORES`, and the keys of each enabled store.
    init(reader: Settings) throws(CommandError) {
        self.init()
        for name in try reader.storeNames() {
            switch name {
            case "app_store": try self.addAppStore(reader: reader)
            case "play_store": try self.addGooglePlay(reader: reader)
            case "revenuecat": try self.addRevenueCat(reader: reader)
            default:
                throw ConfigurationKey.stores.refused(
                    "may contain app_store, play_store and revenuecat, or only none."
                )
            }
        }
    }
}

extension Settings {
    /// Reads `STORES`: the names of the enabled stores, empty for `none`.
    ///
    /// An empty value is refused, because it is probably a mistake.
    func storeNames() throws(CommandError) -> [String] {
        let stores = try self.required(.stores).split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard self.raw(.stores) != "", !stores.isEmpty else {
            throw ConfigurationKey.stores.refused(
                "is empty. Set one or more of app_store, play_store and revenuecat, or none to enable no store, or "
                    + "remove the key for app_store."
            )
        }
        return stores == ["none"] ? [] : stores
    }

    /// Refuses addresses other than the vendor's, unless the operator allows them with a flag.
    func allow(
        _ isVendor: Bool,
        _ flag: ConfigurationKey,
        _ addresses: [ConfigurationKey]
    ) throws(CommandError) {
        if isVendor { return }
        if try self.flag(flag) { return }
        let names = addresses.map(\.name).joined(separator: ", ")
        throw CommandError(
            .configuration,
            "One of \(names) is not the store's official address. Set \(flag.name)=true to allow it."
        )
    }
}

/// The configuration keys of RevenueCat.
extension ConfigurationKey {
    static let revenueCatAuthorization = Self(
        "REVENUECAT_AUTHORIZATION",
        .optional,
        isSecret: true,
        "The webhook's Authorization value; several values separated by commas during a change. This or the signing "
            + "secret is required. If both are set, both must match."
    )
    static let revenueCatSigningSecret = Self(
        "REVENUECAT_SIGNING_SECRET",
        .optional,
        isSecret: true,
        "The webhook's signing secret; several values separated by commas during a change."
    )
    static let revenueCatSignatureHeader = Self(
        "REVENUECAT_SIGNATURE_HEADER",
        .fallback(RevenueCatWebhookConfiguration.documentedSignatureHeader),
        "The header field with the webhook's signature."
    )
    static let revenueCatAPIKey = Self(
        "REVENUECAT_API_KEY",
        .optional,
        isSecret: true,
        "Secret API key. Without it, the service cannot query customers."
    )
    static let revenueCatURL = Self(
        "REVENUECAT_URL",
        .fallback(RevenueCatAPIConfiguration.vendorBaseURL),
        "Address of RevenueCat's API."
    )
    static let revenueCatAllowOtherHosts = Self(
        "REVENUECAT_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Allows an API address other than RevenueCat's. Any server at that address can grant credits."
    )
    static let revenueCatStores = Self(
        "REVENUECAT_STORES",
        .fallback("app_store,play_store"),
        "Stores whose purchases RevenueCat reports, separated by commas, such as app_store, play_store, stripe."
    )
    static let revenueCatGrantsFrom = Self(
        "REVENUECAT_GRANTS_FROM",
        .required,
        "Instant from which purchases that RevenueCat reports grant credits. The first start that enables a store sets "
            + "it."
    )
    static let revenueCatCurrency = Self(
        "REVENUECAT_VIRTUAL_CURRENCY",
        .optional,
        "Code of the virtual currency that grants credits, for products whose grant_source is virtual_currency."
    )

    static let allOfRevenueCat = [
        revenueCatAuthorization, revenueCatSigningSecret, revenueCatSignatureHeader, revenueCatAPIKey, revenueCatURL,
        revenueCatAllowOtherHosts, revenueCatStores, revenueCatGrantsFrom, revenueCatCurrency,
    ]
}

extension StoresConfiguration {
    /// Reads the configuration of RevenueCat.
    ///
    /// - Configuration keys: `REVENUECAT_GRANTS_FROM`, `REVENUECAT_STORES`, and those of the values below.
    private mutating func addRevenueCat(reader: Settings) throws(CommandError) {
        self.revenueCatWebhook = try RevenueCatWebhookConfiguration(reader: reader)
        self.revenueCat = try RevenueCatAPIConfiguration(reader: reader)
        let grantsFrom = try reader.instant(.revenueCatGrantsFrom)
        for store in try reader.list(.revenueCatStores) where self.grantsFrom[store] == nil {
            self.grantsFrom[store] = grantsFrom
        }
    }
}

extension RevenueCatWebhookConfiguration {
    /// Reads the credentials of RevenueCat's webhooks.
    ///
    /// - Configuration keys: `REVENUECAT_AUTHORIZATION`, `REVENUECAT_SIGNING_SECRET`, `REVENUECAT_SIGNATURE_HEADER`,
    ///   `REVENUECAT_VIRTUAL_CURRENCY`.
    fileprivate init(reader: Settings) throws(CommandError) {
        self.init(
            authorizations: try reader.optionalList(.revenueCatAuthorization),
            signingSecrets: try reader.optionalList(.revenueCatSigningSecret),
            signatureHeader: try reader.required(.revenueCatSignatureHeader),
            currencyCode: try reader.string(.revenueCatCurrency)
        )
        guard !self.authorizations.isEmpty || !self.signingSecrets.isEmpty else {
            throw ConfigurationKey.revenueCatAuthorization.refused(
                "or \(ConfigurationKey.revenueCatSigningSecret.name) is missing."
            )
        }
    }
}

extension RevenueCatAPIConfiguration {
    /// Reads the configuration of RevenueCat's API; nil if the service does not use it.
    ///
    /// - Configuration keys: `REVENUECAT_API_KEY`, `REVENUECAT_URL`, `REVENUECAT_ALLOW_OTHER_HOSTS`.
    fileprivate init?(reader: Settings) throws(CommandError) {
        guard let key = try reader.string(.revenueCatAPIKey) else { return nil }
        self.init(secretKey: key, baseURL: try reader.required(.revenueCatURL))
        try reader.allow(self.usesVendorEndpoints, .revenueCatAllowOtherHosts, [.revenueCatURL])
    }
}

/// The configuration keys of Google Play.
extension ConfigurationKey {
    static let googlePlayPackageName = Self("GOOGLEPLAY_PACKAGE_NAME", .required, "The app's package name.")
    static let googlePlayServiceAccount = Self(
        "GOOGLEPLAY_SERVICE_ACCOUNT",
        .required,
        isSecret: true,
        "The content of the service account's key file (JSON)."
    )
    static let googlePlayGrantsFrom = Self(
        "GOOGLEPLAY_GRANTS_FROM",
        .required,
        "Instant from which purchases grant credits; earlier ones are only recorded. The first start sets it."
    )
    static let googlePlayPushAudience = Self(
        "GOOGLEPLAY_PUSH_AUDIENCE",
        .required,
        "Audience of the Pub/Sub push subscription's tokens."
    )
    static let googlePlayPushEmail = Self(
        "GOOGLEPLAY_PUSH_EMAIL",
        .required,
        "Service account of the Pub/Sub push subscription."
    )
    static let googlePlayRefundReviews = Self(
        "GOOGLEPLAY_REFUND_REVIEWS",
        .fallback("off"),
        "Answer when Google Play reviews a refund: neutral, decline or approve, with how much was used and when; off "
            + "sends no answer. Answers require the customers' consent."
    )
    static let googlePlayURL = Self(
        "GOOGLEPLAY_URL",
        .fallback(GooglePlayConfiguration.vendorBaseURL),
        "Address of the Google Play Developer API."
    )
    static let googlePlayTokenURL = Self(
        "GOOGLEPLAY_TOKEN_URL",
        .fallback(GooglePlayConfiguration.vendorTokenURL),
        "Address that issues access tokens to the service account."
    )
    static let googlePlayKeysURL = Self(
        "GOOGLEPLAY_KEYS_URL",
        .fallback(PushConfiguration.vendorKeys),
        "Address of the public keys of push tokens."
    )
    static let googlePlayAllowOtherHosts = Self(
        "GOOGLEPLAY_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Allows Google Play addresses other than Google's. Any server at these addresses can grant credits."
    )

    static let allOfGooglePlay = [
        googlePlayPackageName, googlePlayServiceAccount, googlePlayGrantsFrom, googlePlayPushAudience,
        googlePlayPushEmail, googlePlayRefundReviews, googlePlayURL, googlePlayTokenURL, googlePlayKeysURL,
        googlePlayAllowOtherHosts,
    ]
}

extension StoresConfiguration {
    /// Reads the configuration of Google Play.
    ///
    /// - Configuration keys: `GOOGLEPLAY_GRANTS_FROM`, `GOOGLEPLAY_ALLOW_OTHER_HOSTS`, and those of the values below.
    private mutating func addGooglePlay(reader: Settings) throws(CommandError) {
        let googlePlay = try GooglePlayConfiguration(reader: reader)
        let pushes = try PushConfiguration(reader: reader)
        try reader.allow(
            googlePlay.usesVendorEndpoints && pushes.usesVendorEndpoints,
            .googlePlayAllowOtherHosts,
            [.googlePlayURL, .googlePlayTokenURL, .googlePlayKeysURL]
        )
        self.googlePlay = googlePlay
        self.pushes = pushes
        self.refundReviews = try RefundReviewAnswer.Preference(reader: reader)
        self.grantsFrom["play_store"] = try reader.instant(.googlePlayGrantsFrom)
    }
}

extension GooglePlayConfiguration {
    /// Reads the configuration of the Google Play Developer API.
    ///
    /// - Configuration keys: `GOOGLEPLAY_SERVICE_ACCOUNT`, `GOOGLEPLAY_PACKAGE_NAME`, `GOOGLEPLAY_URL`,
    ///   `GOOGLEPLAY_TOKEN_URL`.
    fileprivate init(reader: Settings) throws(CommandError) {
        let account = Data(try reader.required(.googlePlayServiceAccount).utf8)
        let packageName = try reader.required(.googlePlayPackageName)
        guard let file = try? Self(serviceAccountJSON: account, packageName: packageName),
            (try? _RSA.Signing.PrivateKey(pemRepresentation: file.privateKeyPEM)) != nil
        else {
            throw ConfigurationKey.googlePlayServiceAccount.refused("is not a service account's key file.")
        }
        self = file
        self.baseURL = try reader.required(.googlePlayURL)
        self.tokenURL = try reader.required(.googlePlayTokenURL)
    }
}

extension PushConfiguration {
    /// Reads which Pub/Sub pushes are accepted.
    ///
    /// - Configuration keys: `GOOGLEPLAY_PUSH_AUDIENCE`, `GOOGLEPLAY_PUSH_EMAIL`, `GOOGLEPLAY_KEYS_URL`,
    ///   `GOOGLEPLAY_ALLOW_OTHER_HOSTS`.
    fileprivate init(reader: Settings) throws(CommandError) {
        self.init(
            audience: try reader.required(.googlePlayPushAudience),
            email: try reader.required(.googlePlayPushEmail),
            keysURL: try reader.required(.googlePlayKeysURL)
        )
        self.keySets.allowsPlainLoopback = try reader.flag(.googlePlayAllowOtherHosts)
    }
}

extension RefundReviewAnswer.Preference {
    /// Reads the answer to Google Play's reviews of refunds; nil for none.
    ///
    /// - Configuration keys: `GOOGLEPLAY_REFUND_REVIEWS`.
    fileprivate init?(reader: Settings) throws(CommandError) {
        let text = try reader.required(.googlePlayRefundReviews)
        if text == "off" { return nil }
        guard let preference = Self(rawValue: text.uppercased()), text == text.lowercased() else {
            throw ConfigurationKey.googlePlayRefundReviews.refused("must be off, neutral, decline or approve.")
        }
        self = preference
    }
}

extension StoreClients {
    /// Creates the clients of all configured stores.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the stores.
    ///   - httpClient: The HTTP client for the calls.
    ///   - logger: The logger for failures.
    ///   - clock: The wallet's clock.
    /// - Throws: ``CommandError`` with the name of an invalid key.
    init(
        _ configuration: StoresConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Date
    ) throws(CommandError) {
        self.init()
        try self.addAppStore(configuration, httpClient, logger, clock)
        self.revenueCatWebhook = configuration.revenueCatWebhook.map {
            RevenueCatWebhook(configuration: $0, now: clock)
        }
        self.revenueCat = configuration.revenueCat.map {
            RevenueCatAPI(configuration: $0, httpClient: httpClient, logger: logger, wallClock: clock)
        }
        guard let googlePlay = configuration.googlePlay else { return }
        self.googlePlay = GooglePlayAPI(
            configuration: googlePlay,
            httpClient: httpClient,
            logger: logger,
            wallClock: clock
        )
        self.refundReviews = configuration.refundReviews
        self.googlePlayNotifications = GooglePlayNotifications(packageName: googlePlay.packageName)
    }

    private mutating func addAppStore(
        _ configuration: StoresConfiguration,
        _ httpClient: HTTPClient,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Date
    ) throws(CommandError) {
        self.receipts = configuration.receipts.map {
            AppStoreReceiptVerifier(configuration: $0, httpClient: httpClient, logger: logger, wallClock: clock)
        }
        guard let signedData = configuration.signedData else { return }
        let verifier = SignedDataVerifier(
            configuration: signedData,
            httpClient: httpClient,
            logger: logger,
            wallClock: clock
        )
        self.signedData = verifier
        if let serverAPI = configuration.serverAPI {
            self.serverAPI = try Self.using(.appStoreAPIPrivateKey) {
                try AppStoreServerAPI(
                    configuration: serverAPI,
                    verifier: verifier,
                    httpClient: httpClient,
                    logger: logger,
                    wallClock: clock
                )
            }
        }
        if let offers = configuration.offers {
            self.offers = try Self.using(.appStoreOfferPrivateKey) {
                try PromotionalOfferSigner(keyID: offers.keyID, privateKeyPEM: offers.privateKeyPEM)
            }
        }
        self.offerBundleID = configuration.offers?.bundleID
        self.sharesConsumption = configuration.sharesConsumption
    }

    /// Creates a value from a secret key; an error names the configuration key but never shows the secret.
    private static func using<Value>(
        _ key: ConfigurationKey,
        _ make: () throws -> Value
    ) throws(CommandError) -> Value {
        do {
            return try make()
        } catch {
            throw key.refused("does not contain a valid key.")
        }
    }
}
