/// The configuration keys of the App Store.
extension ConfigurationKey {
    static let appStoreBundleIDs = Self(
        "APPSTORE_BUNDLE_IDS",
        .required,
        "Bundle ids of the apps whose purchases are accepted, separated by commas."
    )
    static let appStoreAppleIDs = Self(
        "APPSTORE_APPLE_IDS",
        .optional,
        "Apple's numbers of those apps, separated by commas; what is signed for another number is then refused."
    )
    static let appStoreSharedSecret = Self(
        "APPSTORE_SHARED_SECRET",
        .required,
        isSecret: true,
        "The app-specific shared secret of App Store Connect, sent along with each verification."
    )
    static let appStoreGrantsFrom = Self(
        "APPSTORE_GRANTS_FROM",
        .required,
        "Instant (2026-11-21T00:00:00Z) from which purchases grant; earlier ones are recorded only. "
            + "The first start decides; a later change has no effect."
    )
    static let appStoreProductionURL = Self(
        "APPSTORE_PRODUCTION_URL",
        .fallback("https://buy.itunes.apple.com/verifyReceipt"),
        "Where receipts are verified."
    )
    static let appStoreSandboxURL = Self(
        "APPSTORE_SANDBOX_URL",
        .fallback("https://sandbox.itunes.apple.com/verifyReceipt"),
        "Where receipts of test purchases are verified."
    )
    static let appStoreAllowOtherHosts = Self(
        "APPSTORE_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Whether the App Store's addresses may be other than Apple's; anyone who answers there can grant credits."
    )
    static let appStoreExtraRoots = Self(
        "APPSTORE_EXTRA_ROOTS",
        .optional,
        "Files with further root certificates (DER), separated by commas. What is signed under one counts as a test "
            + "purchase."
    )
    static let appStoreChecksRevocation = Self(
        "APPSTORE_CHECKS_REVOCATION",
        .fallback("false"),
        "Whether Apple is asked if a signing certificate was revoked; its outages then delay purchases."
    )
    static let appStoreAPIIssuerID = Self(
        "APPSTORE_API_ISSUER_ID",
        .optional,
        "Issuer id of the App Store Server API key; with it the two keys below are required."
    )
    static let appStoreAPIKeyID = Self("APPSTORE_API_KEY_ID", .required, "Id of the App Store Server API key.")
    static let appStoreAPIPrivateKey = Self(
        "APPSTORE_API_PRIVATE_KEY",
        .required,
        isSecret: true,
        "The App Store Server API key, PEM."
    )
    static let appStoreAPIProductionURL = Self(
        "APPSTORE_API_PRODUCTION_URL",
        .fallback("https://api.storekit.apple.com"),
        "Where the App Store Server API answers."
    )
    static let appStoreAPISandboxURL = Self(
        "APPSTORE_API_SANDBOX_URL",
        .fallback("https://api.storekit-sandbox.apple.com"),
        "Where it answers for test purchases."
    )
    static let appStoreSharesConsumption = Self(
        "APPSTORE_SHARES_CONSUMPTION",
        .fallback("false"),
        "Whether the service reports to the App Store, before it decides on a refund, how much was used; true needs the "
            + "customers' consent."
    )
    static let appStoreHistoryInterval = Self(
        "APPSTORE_HISTORY_INTERVAL",
        .fallback("900"),
        "Seconds between two rounds that ask the App Store Server API for notifications that did not arrive, the first at "
            + "the start; 0 for none here."
    )
    static let appStoreOfferKeyID = Self(
        "APPSTORE_OFFER_KEY_ID",
        .optional,
        "Id of the key that signs promotional offers; with it the key below is required."
    )
    static let appStoreOfferPrivateKey = Self(
        "APPSTORE_OFFER_PRIVATE_KEY",
        .required,
        isSecret: true,
        "The key that signs promotional offers, PEM."
    )

    static let allOfAppStore = [
        appStoreBundleIDs, appStoreAppleIDs, appStoreSharedSecret, appStoreGrantsFrom, appStoreProductionURL,
        appStoreSandboxURL, appStoreAllowOtherHosts, appStoreExtraRoots, appStoreChecksRevocation, appStoreAPIIssuerID,
        appStoreAPIKeyID, appStoreAPIPrivateKey, appStoreAPIProductionURL, appStoreAPISandboxURL,
        appStoreSharesConsumption, appStoreHistoryInterval, appStoreOfferKeyID,
        appStoreOfferPrivateKey,
    ]
}
