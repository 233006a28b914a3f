/// All configuration keys.
///
/// The sources in order of precedence are options, environment, `.env`, secrets directory and default.
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
    static let wallets = Self(
        "WALLETS",
        .optional,
        isSecret: true,
        "Several wallets in place of DATABASE_URL, such as eu:postgresql://…,us:postgresql://…: each has a database, a "
            + "pool and workers of its own. A name has up to 20 lower-case letters and digits. EU_EVENTS_URL then is "
            + "that wallet's EVENTS_URL, and so on for all that is not the process's own; deploy/scale.md has more."
    )
    static let databaseReadURL = Self(
        "DATABASE_READ_URL",
        .optional,
        isSecret: true,
        "Connection URL of standbys, which answer lists, histories and balances for clients that send Wallet-Position; the "
            + "primary answers all unless set."
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
    static let databaseOperatorConnections = Self(
        "DATABASE_OPERATOR_CONNECTIONS",
        .fallback("2"),
        "Connections beside those, for the console and for lists as CSV: few, so that operators' reads never take those "
            + "of bookings."
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
        "Seconds that one statement may run; its commit may take one second more before the answer is 503."
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
    static let maximumStreams = Self(
        "MAXIMUM_STREAMS",
        .fallback("10000"),
        "Streams of balances (GET /balance/stream) that are served at once; more are answered 503 overloaded."
    )
    static let operatorMaximumAmount = Self(
        "OPERATOR_MAXIMUM_AMOUNT",
        .fallback("1000"),
        "Credits or visits that one adjustment of an operator may add or take; 0 for none."
    )
    static let operatorDailyAmount = Self(
        "OPERATOR_DAILY_AMOUNT",
        .fallback("20000"),
        "Credits and visits that one operator may add and take on one day (UTC), in all adjustments of production "
            + "wallets together; 0 for none."
    )
    static let corsOrigins = Self(
        "CORS_ORIGINS",
        .optional,
        "Origins whose web pages may call the user routes, /functions/v1 among them, separated by commas, such as "
            + "https://app.example, or * for all; none unless set."
    )
    static let apiReference = Self(
        "API_REFERENCE",
        .fallback("true"),
        "Whether the API reference is served: /docs, /problems, /guides, /llms.txt and /openapi.json. It is public, holds "
            + "nothing of users and little beyond openapi.yaml, and calls nothing; false where a public address should not "
            + "show it."
    )
    static let drainDelay = Self(
        "DRAIN_DELAY",
        .fallback("0"),
        "Seconds after SIGTERM for which requests are still taken while /ready says no; behind a load balancer a little "
            + "more than it needs to notice that. Less than SHUTDOWN_TIMEOUT, of which they are a part."
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

    static let stores = Self(
        "STORES",
        .fallback("app_store"),
        "Stores that are enabled, separated by commas: app_store, play_store, revenuecat; none to start without any. The "
            + "keys of a store count only while it is enabled; then those without a default are required."
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
