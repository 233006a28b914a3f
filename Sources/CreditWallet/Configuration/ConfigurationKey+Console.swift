/// The configuration keys of the operator console.
extension ConfigurationKey {
    static let consoleIssuer = Self(
        "CONSOLE_ISSUER",
        .optional,
        "The OpenID Connect issuer at which operators sign in, exactly as in its discovery document, such as "
            + "https://login.example/realms/studio. Without it, there is no console."
    )
    static let consoleURL = Self(
        "CONSOLE_URL",
        .required,
        "Public address of the console's host, such as https://wallet.example. The pages are below /console. Register "
            + "/console/signed-in at this address as a redirect URI with the issuer."
    )
    static let consoleClientID = Self("CONSOLE_CLIENT_ID", .required, "The console's client id at the issuer.")
    static let consoleClientSecret = Self(
        "CONSOLE_CLIENT_SECRET",
        .optional,
        isSecret: true,
        "The console's client secret at the issuer; leave it out for a public client."
    )
    static let consoleScopes = Self(
        "CONSOLE_SCOPES",
        .fallback("openid profile email"),
        "Scopes that the console requests, separated by spaces. Some issuers include groups only if a separate scope "
            + "is requested."
    )
    static let consoleSecret = Self(
        "CONSOLE_SECRET",
        .required,
        isSecret: true,
        "Secret that signs cookies and forms: at least 32 bytes, the same on every instance. A new secret signs out "
            + "all operators."
    )
    static let consoleRightsClaim = Self(
        "CONSOLE_RIGHTS_CLAIM",
        .fallback("groups"),
        "Claim of the ID token that determines an operator's role, as in AUTH_NAME_RIGHTS_CLAIM."
    )
    static let consoleRights = Self(
        "CONSOLE_RIGHTS",
        .required,
        "Role for each value of the claim, as in AUTH_NAME_RIGHTS: studio-desk=support,studio-owners=admin. All other "
            + "users are refused."
    )
    static let consolePrefix = Self(
        "CONSOLE_PREFIX",
        .fallback(""),
        "Prefix of the ID token's `sub` in the audit log's names of console operators."
    )
    static let consoleHost = Self(
        "CONSOLE_HOST",
        .fallback("127.0.0.1"),
        "Address that the console listens on if CONSOLE_PORT is set."
    )
    static let consolePort = Self(
        "CONSOLE_PORT",
        .optional,
        "Separate port for the console, which users need not reach. Without it, the console is served on HTTP_PORT."
    )
    static let consoleAPIURL = Self(
        "CONSOLE_API_URL",
        .optional,
        "Public address of the API, for the curl commands that the console shows. Without it, they use CONSOLE_URL."
    )
    static let consoleIdleMinutes = Self(
        "CONSOLE_IDLE_MINUTES",
        .fallback("30"),
        "Minutes without a request after which a session ends."
    )
    static let consoleHours = Self("CONSOLE_HOURS", .fallback("12"), "Hours after which every session ends.")
    static let consoleMoneyMinutes = Self(
        "CONSOLE_MONEY_MINUTES",
        .fallback("15"),
        "Minutes after a sign-in during which an operator may change balances and prices. After that, the issuer asks "
            + "the operator to sign in again. This requires auth_time in the issuer's ID tokens; without it, the "
            + "console refuses such changes."
    )
    static let consoleSignIns = Self(
        "CONSOLE_SIGN_INS_PER_MINUTE",
        .fallback("10"),
        "Maximum sign-ins from one address per minute."
    )

    static let allOfConsole = [
        consoleIssuer, consoleURL, consoleClientID, consoleClientSecret, consoleScopes, consoleSecret,
        consoleRightsClaim, consoleRights, consolePrefix, consoleHost, consolePort, consoleAPIURL, consoleIdleMinutes,
        consoleHours, consoleMoneyMinutes, consoleSignIns,
    ]
}
