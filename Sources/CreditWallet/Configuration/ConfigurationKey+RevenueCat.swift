/// The configuration keys of RevenueCat.
extension ConfigurationKey {
    static let revenueCatAuthorization = Self(
        "REVENUECAT_AUTHORIZATION",
        .optional,
        isSecret: true,
        "The Authorization value of the webhook, several separated by commas while it is changed. This or the signing "
            + "secret is required; where both are set, both must be right."
    )
    static let revenueCatSigningSecret = Self(
        "REVENUECAT_SIGNING_SECRET",
        .optional,
        isSecret: true,
        "The webhook's signing secret, several separated by commas while it is changed."
    )
    static let revenueCatSignatureHeader = Self(
        "REVENUECAT_SIGNATURE_HEADER",
        .fallback("X-RevenueCat-Webhook-Signature"),
        "The header field that carries the webhook's signature."
    )
    static let revenueCatAPIKey = Self(
        "REVENUECAT_API_KEY",
        .optional,
        isSecret: true,
        "Secret API key; without it customers cannot be asked about."
    )
    static let revenueCatURL = Self(
        "REVENUECAT_URL",
        .fallback("https://api.revenuecat.com"),
        "Where RevenueCat's API answers."
    )
    static let revenueCatAllowOtherHosts = Self(
        "REVENUECAT_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Whether that address may be other than RevenueCat's; anyone who answers there can grant credits."
    )
    static let revenueCatStores = Self(
        "REVENUECAT_STORES",
        .fallback("app_store,play_store"),
        "Stores of sale whose purchases RevenueCat reports, separated by commas, such as app_store, play_store, stripe."
    )
    static let revenueCatGrantsFrom = Self(
        "REVENUECAT_GRANTS_FROM",
        .required,
        "Instant from which purchases that RevenueCat reports grant. The first start that enables a store decides."
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
