/// All configuration keys.
///
/// The sources in order of precedence are options, environment, `.env`, secrets directory and default.
extension ConfigurationKey {
    static let secretsDirectory = Self(
        "SECRETS_DIRECTORY",
        .fallback("/run/secrets"),
        "Directory with one file per key, named like the key in lower case. The directory may be missing."
    )

    static let databaseURL = Self(
        "DATABASE_URL",
        .required,
        isSecret: true,
        "Connection URL or connection string, passed to libpq unchanged. serve connects as wallet_service, migrate as "
            + "the owner."
    )
    static let wallets = Self(
        "WALLETS",
        .optional,
        isSecret: true,
        "Several wallets instead of DATABASE_URL, such as eu:postgresql://…,us:postgresql://…. Each wallet has its own "
            + "database, pool and workers. A name has up to 20 lower-case letters and digits. EU_EVENTS_URL then sets "
            + "EVENTS_URL of the wallet eu, and so on for every key that does not configure the process. See "
            + "deploy/scale.md."
    )
    static let databaseReadURL = Self(
        "DATABASE_READ_URL",
        .optional,
        isSecret: true,
        "Connection URL of standbys. They serve lists, histories and balances to clients that send Wallet-Position. "
            + "Without it, the primary serves all requests."
    )
    static let databaseMinimumConnections = Self(
        "DATABASE_MINIMUM_CONNECTIONS",
        .fallback("1"),
        "Minimum open connections to the database."
    )
    static let databaseMaximumConnections = Self(
        "DATABASE_MAXIMUM_CONNECTIONS",
        .fallback("10"),
        "Maximum connections to the database."
    )
    static let databaseOperatorConnections = Self(
        "DATABASE_OPERATOR_CONNECTIONS",
        .fallback("2"),
        "Additional connections for the console and CSV lists, so that operators' reads never use the connections of "
            + "bookings."
    )
    static let databaseMaximumWaiters = Self(
        "DATABASE_MAXIMUM_WAITERS",
        .fallback("1000"),
        "Maximum requests that wait for a connection; more are answered 503 overloaded."
    )
    static let databaseAcquireTimeout = Self(
        "DATABASE_ACQUIRE_TIMEOUT",
        .fallback("5"),
        "Maximum seconds that a request waits for a connection."
    )
    static let databaseStatementTimeout = Self(
        "DATABASE_STATEMENT_TIMEOUT",
        .fallback("10"),
        "Maximum seconds of one statement. Its commit may take one more second before the request is answered 503."
    )
    static let databasePreparedStatements = Self(
        "DATABASE_PREPARED_STATEMENTS",
        .fallback("true"),
        "Uses prepared statements. Set it to false behind pgbouncer before 1.21 in transaction mode."
    )

    static let httpHost = Self("HTTP_HOST", .fallback("127.0.0.1"), "Address to listen on; 0.0.0.0 for all.")
    static let httpPort = Self("HTTP_PORT", .fallback("8080"), "Port to listen on.")
    static let receiptsPerMinute = Self(
        "RECEIPTS_PER_MINUTE",
        .fallback("10"),
        "Maximum receipt verifications of one user per minute."
    )
    static let maximumStreams = Self(
        "MAXIMUM_STREAMS",
        .fallback("10000"),
        "Maximum open balance streams (GET /balance/stream); more are answered 503 overloaded."
    )
    static let operatorMaximumAmount = Self(
        "OPERATOR_MAXIMUM_AMOUNT",
        .fallback("1000"),
        "Maximum credits or visits that one adjustment by an operator may add or deduct; 0 allows none."
    )
    static let operatorDailyAmount = Self(
        "OPERATOR_DAILY_AMOUNT",
        .fallback("20000"),
        "Maximum credits and visits that one operator may add and deduct on one day (UTC), for all adjustments of "
            + "production wallets together; 0 allows none."
    )
    static let corsOrigins = Self(
        "CORS_ORIGINS",
        .optional,
        "Origins whose web pages may call the user routes and /functions/v1, separated by commas, such as "
            + "https://app.example; * for all. Without it, no page of another origin may call them."
    )
    static let apiReference = Self(
        "API_REFERENCE",
        .fallback("true"),
        "Serves the API reference: /docs, /problems, /guides, /llms.txt and /openapi.json. It is public, contains no "
            + "user data and little beyond openapi.yaml, and makes no calls. Set it to false to hide it on a public "
            + "address."
    )
    static let drainDelay = Self(
        "DRAIN_DELAY",
        .fallback("0"),
        "Seconds after SIGTERM during which requests are still accepted while /ready fails. Behind a load balancer, "
            + "set it slightly longer than the balancer needs to notice. It is part of SHUTDOWN_TIMEOUT and must be "
            + "shorter."
    )
    static let shutdownTimeout = Self(
        "SHUTDOWN_TIMEOUT",
        .fallback("30"),
        "Seconds that requests have to finish after SIGTERM."
    )

    static let authIssuers = Self(
        "AUTH_ISSUERS",
        .required,
        "Names of the token issuers, separated by commas: letters and digits of your choice, such as main,operators. "
            + "Each name has its own keys AUTH_NAME_…, listed below."
    )

    static let stores = Self(
        "STORES",
        .fallback("app_store"),
        "Enabled stores, separated by commas: app_store, play_store, revenuecat; none enables no store. The keys of a "
            + "store apply only if it is enabled; those without a default are then required."
    )

    static let logLevel = Self(
        "LOG_LEVEL",
        .fallback("info"),
        "trace, debug, info, notice, warning, error or critical."
    )

    /// The keys of the service itself, in the order of the help text.
    static let allOfService = [
        databaseURL, wallets, databaseReadURL, databaseMinimumConnections, databaseMaximumConnections,
        databaseOperatorConnections, databaseMaximumWaiters, databaseAcquireTimeout, databaseStatementTimeout,
        databasePreparedStatements,
        httpHost, httpPort, receiptsPerMinute, maximumStreams, operatorMaximumAmount, operatorDailyAmount, corsOrigins,
        apiReference, drainDelay, shutdownTimeout, authIssuers, stores, logLevel, secretsDirectory,
    ]

    /// All keys except those of the issuers, in the order of the help text.
    static let all =
        allOfService + allOfHTTP + allOfAppStore + allOfRevenueCat + allOfGooglePlay + allOfWork + allOfConsole
        + allOfAdmin + allOfTraces

    /// The keys of the process; with several wallets, these cannot be set for a single wallet.
    static let allOfProcess: [Self] =
        [
            databaseURL, wallets, httpHost, httpPort, drainDelay, shutdownTimeout, authIssuers, logLevel,
            secretsDirectory, trustedProxies, httpMaximumConnections, httpConnectionsPerAddress, httpFirstByteTimeout,
            httpIdleTimeout, httpHeadTimeout, httpBodyTimeout, httpMaximumHeaderBytes, httpMaximumHeaders,
        ] + allOfAdmin + allOfTraces

    /// The keys that can be set for a single wallet, with the wallet's name as a prefix.
    static let allOfWallet = Set(all).subtracting(allOfProcess)

    /// Returns the key that sets this value for one wallet, such as `EU_EVENTS_URL`.
    func of(_ wallet: WalletAddress) -> Self {
        Self("\(wallet.name.uppercased())_\(self.name)", self.absence, isSecret: self.isSecret, self.meaning)
    }
}
