import CommandOutput

/// A configuration key: its name in every source, its meaning and its default.
///
/// The environment variable and the line in `.env` have this name. A file in the secrets directory has it in lower case.
/// ``ConfigurationHelp`` lists every key.
struct ConfigurationKey: Sendable, Hashable {
    /// The behaviour for a key that no source contains.
    enum Absence: Sendable, Hashable {
        /// The command fails without a value.
        case required
        /// The value is optional and has no default.
        case optional
        /// The default value, as text.
        case fallback(String)

        /// The default value that a module defines.
        static func fallback(value: some LosslessStringConvertible) -> Self { .fallback(value.description) }

        /// The default time that a module defines, in seconds.
        static func fallback(seconds time: Duration) -> Self { .fallback(value: Int(time / .seconds(1))) }

        /// The default time that a module defines, in milliseconds.
        static func fallback(milliseconds time: Duration) -> Self { .fallback(value: Int(time / .milliseconds(1))) }
    }

    let name: String
    let absence: Absence
    let isSecret: Bool
    let meaning: String

    init(_ name: String, _ absence: Absence, isSecret: Bool = false, _ meaning: String) {
        self.name = name
        self.absence = absence
        self.isSecret = isSecret
        self.meaning = meaning
    }

    /// The error for a required key without a value.
    var isMissing: CommandError { self.refused("is missing. \(self.meaning)") }

    /// Returns an error for the key's value.
    ///
    /// - Parameter reason: The rule for the value, such as "must contain only numbers.", which follows the key's name.
    /// - Returns: The error.
    func refused(_ reason: String) -> CommandError { CommandError(.configuration, "\(self.name) \(reason)") }
}

extension ConfigurationKey {
    /// The keys of the service itself, in the order of the help text.
    static let allOfService = [
        databaseURL, wallets, databaseReadURL, databaseMinimumConnections, databaseMaximumConnections,
        databaseOperatorConnections, databaseMaximumWaiters, databaseAcquireTimeout, databaseStatementTimeout,
        databasePreparedStatements,
        httpHost, httpPort, receiptsPerMinute, maximumStreams, operatorMaximumAmount, operatorDailyAmount, corsOrigins,
        apiReference, drainDelay, shutdownTimeout, authIssuers, profileClaims, studioTimeZone, stores,
        sandboxPurchases, logLevel, secretsDirectory,
    ]

    /// All keys except those of the issuers, in the order of the help text.
    static let all =
        allOfService + allOfHTTP + allOfAppStore + allOfRevenueCat + allOfGooglePlay + allOfWork + allOfConsole
        + allOfMetrics + allOfTraces

    /// The keys of the process; with several wallets, these cannot be set for a single wallet.
    static let allOfProcess: [Self] =
        [
            databaseURL, wallets, httpHost, httpPort, drainDelay, shutdownTimeout, authIssuers, logLevel,
            secretsDirectory, trustedProxies, httpMaximumConnections, httpConnectionsPerAddress, httpFirstByteTimeout,
            httpIdleTimeout, httpHeadTimeout, httpBodyTimeout, httpMaximumHeaderBytes, httpMaximumHeaders,
        ] + allOfMetrics + allOfTraces

    /// The keys that can be set for a single wallet, with the wallet's name as a prefix.
    static let allOfWallet = Set(all).subtracting(allOfProcess)
}

/// The table of configuration keys that `serve --help` prints.
enum ConfigurationHelp {
    static let text = """
        Configuration values come from the options above, the environment, the file .env, a directory with one file \
        per key, and the defaults, in this order of precedence. Required keys have no default: without them, the \
        service lists the missing keys and does not start.

        \(Self.parts.map(Self.text).joined(separator: "\n\n"))
        """

    /// All keys in the order of the help text, grouped under their titles.
    static let parts: [(title: String, keys: [ConfigurationKey])] = [
        ("The service", ConfigurationKey.allOfService),
        ("Limits for clients and outgoing calls", ConfigurationKey.allOfHTTP),
        ("Each issuer NAME in AUTH_ISSUERS", ConfigurationKey.allOfIssuer("NAME")),
        ("The App Store, if STORES contains app_store", ConfigurationKey.allOfAppStore),
        ("RevenueCat, if STORES contains revenuecat", ConfigurationKey.allOfRevenueCat),
        ("Google Play, if STORES contains play_store", ConfigurationKey.allOfGooglePlay),
        ("Background work", ConfigurationKey.allOfWork),
        ("The operators' console, if CONSOLE_ISSUER is set", ConfigurationKey.allOfConsole),
        ("Metrics", ConfigurationKey.allOfMetrics),
        ("Traces, with the names of OpenTelemetry", ConfigurationKey.allOfTraces),
    ]

    private static func text(of part: (title: String, keys: [ConfigurationKey])) -> String {
        "\(part.title.uppercased())\n" + part.keys.map(Self.entry).joined(separator: "\n")
    }

    private static func entry(_ key: ConfigurationKey) -> String {
        let absence =
            switch key.absence {
            case .required: "required"
            case .optional: "optional"
            case .fallback(let value): value.isEmpty ? "default: none" : "default: \(value)"
            }
        // A line of 80 columns would be broken again, without its indentation.
        let lines = ["\(key.name) (\(absence))", key.meaning].flatMap { Self.lines($0, width: 75) }
        return "  " + lines.joined(separator: "\n    ")
    }

    /// Wraps a text at its spaces into lines of at most the given width; a longer word stays on one line.
    static func lines(_ text: String, width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}
