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
        .fallback("X-RevenueCat-Webhook-Signature"),
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
        .fallback("https://api.revenuecat.com"),
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
        "REVENUECAT_CURRENCY",
        .optional,
        "Code of the virtual currency that grants credits, for products whose grant_source is virtual_currency."
    )

    static let allOfRevenueCat = [
        revenueCatAuthorization, revenueCatSigningSecret, revenueCatSignatureHeader, revenueCatAPIKey, revenueCatURL,
        revenueCatAllowOtherHosts, revenueCatStores, revenueCatGrantsFrom, revenueCatCurrency,
    ]
}
