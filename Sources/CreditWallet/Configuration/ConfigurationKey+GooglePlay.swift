/// The configuration keys of Google Play.
extension ConfigurationKey {
    static let googlePlayPackageName = Self("GOOGLEPLAY_PACKAGE_NAME", .required, "The app's package name.")
    static let googlePlayServiceAccount = Self(
        "GOOGLEPLAY_SERVICE_ACCOUNT",
        .required,
        isSecret: true,
        "The service account's key file, JSON, as its text."
    )
    static let googlePlayGrantsFrom = Self(
        "GOOGLEPLAY_GRANTS_FROM",
        .required,
        "Instant from which purchases grant; earlier ones are recorded only. The first start decides."
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
        "How the service answers when Google Play reviews a refund: neutral, decline or approve, with how much was used and "
            + "when; off for no answer. It needs the customers' consent."
    )
    static let googlePlayURL = Self(
        "GOOGLEPLAY_URL",
        .fallback("https://androidpublisher.googleapis.com"),
        "Where the Google Play Developer API answers."
    )
    static let googlePlayTokenURL = Self(
        "GOOGLEPLAY_TOKEN_URL",
        .fallback("https://oauth2.googleapis.com/token"),
        "Where the service account gets its access tokens."
    )
    static let googlePlayKeysURL = Self(
        "GOOGLEPLAY_KEYS_URL",
        .fallback("https://www.googleapis.com/oauth2/v3/certs"),
        "Where the keys of push tokens are published."
    )
    static let googlePlayAllowOtherHosts = Self(
        "GOOGLEPLAY_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Whether these addresses may be other than Google's; anyone who answers there can grant credits."
    )

    static let allOfGooglePlay = [
        googlePlayPackageName, googlePlayServiceAccount, googlePlayGrantsFrom, googlePlayPushAudience,
        googlePlayPushEmail, googlePlayRefundReviews, googlePlayURL, googlePlayTokenURL, googlePlayKeysURL,
        googlePlayAllowOtherHosts,
    ]
}
