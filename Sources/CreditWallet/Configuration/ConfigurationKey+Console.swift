/// The configuration keys of the operator console.
extension ConfigurationKey {
    static let consoleIssuer = Self(
        "CONSOLE_ISSUER",
        .optional,
        "The OpenID Connect issuer that operators sign in at, exactly as its discovery document gives it, such as "
            + "https://login.example/realms/studio. Without it there is no console."
    )
    static let consoleURL = Self(
        "CONSOLE_URL",
        .required,
        "Where browsers reach the console's host, such as https://wallet.example; the pages are below /console, and the "
            + "issuer sends browsers back to /console/signed-in there, which is to be registered with it."
    )
    static let consoleClientID = Self("CONSOLE_CLIENT_ID", .required, "What the issuer calls the console.")
    static let consoleClientSecret = Self(
        "CONSOLE_CLIENT_SECRET",
        .optional,
        isSecret: true,
        "What proves to the issuer that it is the console; none for a public client."
    )
    static let consoleScopes = Self(
        "CONSOLE_SCOPES",
        .fallback("openid profile email"),
        "What the issuer is asked for, separated by spaces; some give groups only for a scope of their own."
    )
    static let consoleSecret = Self(
        "CONSOLE_SECRET",
        .required,
        isSecret: true,
        "What cookies and forms are signed with: at least 32 bytes, the same on every instance. A new one signs all out."
    )
    static let consoleRightsClaim = Self(
        "CONSOLE_RIGHTS_CLAIM",
        .fallback("groups"),
        "Claim of the ID token that says what an operator may do, as AUTH_NAME_RIGHTS_CLAIM."
    )
    static let consoleRights = Self(
        "CONSOLE_RIGHTS",
        .required,
        "What the claim's values stand for, as AUTH_NAME_RIGHTS: studio-desk=support,studio-owners=admin. Nobody else is "
            + "let in."
    )
    static let consolePrefix = Self(
        "CONSOLE_PREFIX",
        .fallback(""),
        "What stands before the ID token's `sub` where the audit names an operator of the console."
    )
    static let consoleHost = Self(
        "CONSOLE_HOST",
        .fallback("127.0.0.1"),
        "Address that the console listens on where CONSOLE_PORT is set."
    )
    static let consolePort = Self(
        "CONSOLE_PORT",
        .optional,
        "Port of the console's own, which users need not reach; without it the console is served on HTTP_PORT."
    )
    static let consoleAPIURL = Self(
        "CONSOLE_API_URL",
        .optional,
        "Where programs reach the API, for the lines of curl that pages show; CONSOLE_URL unless set."
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
        "Minutes after a sign-in for which money may be moved; then the issuer asks the operator again. Its ID tokens need "
            + "auth_time for that; without it nobody moves money in the console."
    )
    static let consoleSignIns = Self(
        "CONSOLE_SIGN_INS_PER_MINUTE",
        .fallback("10"),
        "Sign-ins that one address may try in a minute."
    )

    static let allOfConsole = [
        consoleIssuer, consoleURL, consoleClientID, consoleClientSecret, consoleScopes, consoleSecret,
        consoleRightsClaim, consoleRights, consolePrefix, consoleHost, consolePort, consoleAPIURL, consoleIdleMinutes,
        consoleHours, consoleMoneyMinutes, consoleSignIns,
    ]
}
