/// All configuration keys. Options come first, then the environment, `.env`, the secrets directory, the value here.
extension ConfigurationKey {
    static let secretsDirectory = Self(
        "SECRETS_DIRECTORY",
        .fallback("/run/secrets"),
        "Directory with one file a key, named in lower case; left out where it does not exist."
    )

    static let databaseURL = Self(
        "DATABASE_URL",
        .required,
        isSecret: true,
        "Connection URL or string, given to libpq as it is. serve connects as wallet_service, migrate as the owner."
    )
    static let databaseMinimumConnections = Self(
        "DATABASE_MINIMUM_CONNECTIONS",
        .fallback("1"),
        "Connections that are kept open."
    )
    static let databaseMaximumConnections = Self(
        "DATABASE_MAXIMUM_CONNECTIONS",
        .fallback("10"),
        "Connections at most."
    )
    static let databaseMaximumWaiters = Self(
        "DATABASE_MAXIMUM_WAITERS",
        .fallback("1000"),
        "Requests that may wait for a connection; more are answered 503 overloaded."
    )
    static let databaseAcquireTimeout = Self(
        "DATABASE_ACQUIRE_TIMEOUT",
        .fallback("5"),
        "Seconds that a request waits for a connection."
    )
    static let databaseStatementTimeout = Self(
        "DATABASE_STATEMENT_TIMEOUT",
        .fallback("10"),
        "Seconds that one statement may take."
    )
    static let databasePreparedStatements = Self(
        "DATABASE_PREPARED_STATEMENTS",
        .fallback("true"),
        "Whether statements are prepared; false behind pgbouncer before 1.21 in transaction mode."
    )

    static let httpHost = Self("HTTP_HOST", .fallback("127.0.0.1"), "Address to listen on; 0.0.0.0 for all.")
    static let httpPort = Self("HTTP_PORT", .fallback("8080"), "Port to listen on.")
    static let receiptsPerMinute = Self(
        "RECEIPTS_PER_MINUTE",
        .fallback("10"),
        "Receipt verifications a user may ask for in a minute."
    )
    static let shutdownTimeout = Self(
        "SHUTDOWN_TIMEOUT",
        .fallback("30"),
        "Seconds that requests get to finish after SIGTERM."
    )

    static let authIssuers = Self(
        "AUTH_ISSUERS",
        .required,
        "Names of the token issuers, separated by commas: letters and digits of your choice, such as main,operators. "
            + "Each has keys of its own, AUTH_NAME_…, below."
    )

    static let appStoreBundleIDs = Self(
        "APPSTORE_BUNDLE_IDS",
        .required,
        "Bundle ids of the apps whose receipts are accepted, separated by commas."
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
        "Whether the two addresses above may be other than Apple's; whoever answers there can grant credits."
    )

    static let sweepInterval = Self(
        "SWEEP_INTERVAL",
        .fallback("60"),
        "Seconds between two rounds that post due expiries; 0 for none here. Balances are right without them."
    )

    static let logLevel = Self(
        "LOG_LEVEL",
        .fallback("info"),
        "trace, debug, info, notice, warning, error or critical."
    )

    /// Every key but those of the issuers, in the order of the help text.
    static let all = [
        databaseURL, databaseMinimumConnections, databaseMaximumConnections, databaseMaximumWaiters,
        databaseAcquireTimeout, databaseStatementTimeout, databasePreparedStatements, httpHost, httpPort,
        receiptsPerMinute, shutdownTimeout, authIssuers, appStoreBundleIDs, appStoreSharedSecret, appStoreGrantsFrom,
        appStoreProductionURL, appStoreSandboxURL, appStoreAllowOtherHosts, sweepInterval, logLevel,
        secretsDirectory,
    ]
}
