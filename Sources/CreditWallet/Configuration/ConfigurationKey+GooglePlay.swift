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
        .fallback("https://androidpublisher.googleapis.com"),
        "Address of the Google Play Developer API."
    )
    static let googlePlayTokenURL = Self(
        "GOOGLEPLAY_TOKEN_URL",
        .fallback("https://oauth2.googleapis.com/token"),
        "Address that issues access tokens to the service account."
    )
    static let googlePlayKeysURL = Self(
        "GOOGLEPLAY_KEYS_URL",
        .fallback("https://www.googleapis.com/oauth2/v3/certs"),
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
