import CommandOutput
import Logging
import Postgres
import Stores
import Telemetry
import Wallet
import WalletAPI

/// The complete configuration of `serve`, read at once so that an invalid configuration fails before anything is
/// opened.
struct ServiceConfiguration: Sendable {
    let database: PoolConfiguration
    /// The standbys for reads; nil if the primary answers all requests.
    var standbys: PoolConfiguration?
    /// The number of connections that the console and CSV exports share.
    let operatorConnections: Int
    /// The settings for batches of bookings; nil if they wait for their batch as long as a task waits for a connection.
    var batching: BatchingConfiguration?
    var http: WalletServerConfiguration
    let authentication: AuthenticationConfiguration
    let stores: StoresConfiguration
    /// Who gets credits for purchases in the stores' test environments.
    var sandboxPurchases = SandboxPurchases.accept
    /// The networks that calls to stores and key sets may reach.
    var reach = EgressPolicy.publicOnly
    let work: WorkConfiguration
    /// The time zone in which operators read and type times.
    var studioTimeZone = StudioTimeZone.utc
    /// The settings for the console's sign-in; nil disables the console.
    var operatorSignIn: OperatorSignIn?
    /// The settings of the metrics endpoint; nil disables it.
    var metrics: MetricsConfiguration?
    /// The settings of trace export; nil disables it.
    var traces: OTLPConfiguration?
    let shutdownTimeout: Duration

    /// The maximum number of connections to the primary and the standbys.
    var databaseConnections: Int {
        self.database.maximumConnections + self.operatorConnections + (self.standbys?.maximumConnections ?? 0)
    }

    /// The pool of the console and CSV exports: separate connections that are opened on demand.
    var operatorDatabase: PoolConfiguration {
        var pool = self.database
        pool.name = "operators"
        pool.minimumConnections = 0
        pool.maximumConnections = self.operatorConnections
        pool.spareConnections = self.operatorConnections
        return pool
    }
}

extension ServiceConfiguration {
    /// Reads the configuration.
    ///
    /// - Parameter reader: The settings to read from.
    /// - Throws: ``CommandError`` for the first missing or invalid key; `requireUsable` reports all of them.
    /// - Configuration keys: `DATABASE_OPERATOR_CONNECTIONS`, `SHUTDOWN_TIMEOUT`, and those of the values below.
    init(reader: Settings) throws(CommandError) {
        self.init(
            database: try PoolConfiguration(reader: reader),
            standbys: try .standbys(reader: reader),
            operatorConnections: try Self.operatorConnections(reader: reader),
            batching: try BatchingConfiguration(reader: reader),
            http: try WalletServerConfiguration(reader: reader),
            authentication: try AuthenticationConfiguration(reader: reader),
            stores: try StoresConfiguration(reader: reader),
            sandboxPurchases: try SandboxPurchases(reader: reader),
            reach: try EgressPolicy(reader: reader),
            work: try WorkConfiguration(reader: reader),
            studioTimeZone: try StudioTimeZone(reader: reader),
            operatorSignIn: try OperatorSignIn(reader: reader),
            metrics: try MetricsConfiguration(reader: reader),
            traces: try OTLPConfiguration(reader: reader),
            shutdownTimeout: try reader.shutdownTimeout()
        )
    }

    private static func operatorConnections(reader: Settings) throws(CommandError) -> Int {
        try reader.integer(.databaseOperatorConnections, in: 1...100)
    }

    /// The values whose keys may be invalid independently of each other's.
    fileprivate static let parts: [@Sendable (Settings) throws(CommandError) -> Any] = [
        PoolConfiguration.init(reader:), PoolConfiguration.standbys(reader:), Self.operatorConnections(reader:),
        BatchingConfiguration.init(reader:), WalletServerConfiguration.init(reader:),
        AuthenticationConfiguration.init(reader:), StoresConfiguration.init(reader:), SandboxPurchases.init(reader:),
        WorkConfiguration.init(reader:), StudioTimeZone.init(reader:), OperatorSignIn.init(reader:),
        MetricsConfiguration.init(reader:), OTLPConfiguration.init(reader:), Logger.Level.init(reader:),
    ]
}

extension Settings {
    /// Throws if required keys are missing, and names all of them.
    ///
    /// Keys that are required only together with another key are checked when they are read.
    ///
    /// - Throws: ``CommandError`` with a line for each key.
    func requireAll() throws(CommandError) {
        try self.refuse { settings throws(CommandError) in try settings.missing() }
    }

    private func missing() throws(CommandError) -> [String] {
        var lines: [String] = []
        for key in try self.requiredKeys() where !self.has(key) {
            let whose = ConfigurationKey.allOfWallet.contains(key) ? self.wallet.map { "\($0.name): " } : nil
            lines.append("\(whose ?? "")\(key.isMissing.message)")
        }
        for name in try self.issuerNames() {
            if !self.has(.sharedSecret(name)), !self.has(.jwksURL(name)) {
                lines.append(ConfigurationKey.keyIsMissing(name).message)
            }
        }
        return lines
    }

    private func requiredKeys() throws(CommandError) -> [ConfigurationKey] {
        var keys: [ConfigurationKey] = [.databaseURL, .authIssuers]
        for name in try self.issuerNames() { keys += [.issuer(name), .audiences(name)] }
        if self.has(.consoleIssuer) { keys += ConfigurationKey.allOfConsole.filter { $0.absence == .required } }
        for store in try self.storeNames() {
            switch store {
            case "app_store": keys += [.appStoreBundleIDs, .appStoreSharedSecret, .appStoreGrantsFrom]
            case "play_store": keys += ConfigurationKey.allOfGooglePlay.filter { $0.absence == .required }
            case "revenuecat": keys += [.revenueCatGrantsFrom]
            default: continue
            }
        }
        return keys
    }

    /// Returns the names of the issuers as their keys contain them; invalid names are refused when they are read.
    private func issuerNames() throws(CommandError) -> [String] {
        guard self.has(.authIssuers) else { return [] }
        return try self.list(.authIssuers).filter { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
            .map { $0.uppercased() }
    }

    /// Returns whether a source contains a value, valid or not.
    private func has(_ key: ConfigurationKey) -> Bool { !(self.raw(key) ?? "").isEmpty }

    /// Throws if values are invalid, and names all of them.
    ///
    /// - Throws: ``CommandError`` with a line for each invalid value. For rules that involve several keys, it reports
    ///   the first violation.
    func requireUsable() throws(CommandError) {
        try self.refuse { $0.unusable() }
    }

    private func unusable() -> [String] {
        var lines: [String] = []
        for part in ServiceConfiguration.parts {
            var settings = self
            while let error = Self.failure(of: part, settings) {
                let key = error.setting.flatMap(self.key)
                let isOfProcess = key.map { !ConfigurationKey.allOfWallet.contains($0) } ?? false
                lines.append(error.of(isOfProcess ? nil : self.wallet?.name).message)
                // Continue with the key's default to find further errors.
                guard let key, case .fallback = key.absence else { break }
                settings = settings.without(key)
            }
        }
        return lines
    }

    /// Returns the key with a name.
    private func key(_ name: String) -> ConfigurationKey? {
        let ofIssuers = ((try? self.issuerNames()) ?? []).flatMap(ConfigurationKey.allOfIssuer)
        return (ConfigurationKey.all + ofIssuers).first { $0.name == name }
    }

    private static func failure(
        of part: (Settings) throws(CommandError) -> Any,
        _ settings: Settings
    ) -> CommandError? {
        do throws(CommandError) {
            _ = try part(settings)
            return nil
        } catch {
            return error
        }
    }

    /// Throws an error with every finding of every wallet, each once.
    private func refuse(_ find: (Settings) throws(CommandError) -> [String]) throws(CommandError) {
        let wallets = try self.wallets()
        var lines: [String] = []
        for settings in wallets.isEmpty ? [self] : wallets.map(self.of) {
            for line in try find(settings) where !lines.contains(line) { lines.append(line) }
        }
        guard lines.isEmpty else { throw CommandError(.configuration, lines.joined(separator: "\n")) }
    }

    /// Returns the settings that differ from their defaults, for the first line of the log.
    ///
    /// - Returns: The values by name, without secrets.
    /// - Throws: ``CommandError`` if `WALLETS` is invalid.
    func differences() throws(CommandError) -> [String: String] {
        var differences: [String: String] = [:]
        for key in ConfigurationKey.all where !key.isSecret {
            guard let value = try? self.string(key) else { continue }
            if case .fallback(value) = key.absence { continue }
            differences[key.name] = value
        }
        for wallet in try self.wallets() {
            for key in ConfigurationKey.allOfWallet.map({ $0.of(wallet) }) where !key.isSecret {
                differences[key.name] = self.ofProcess(key)
            }
        }
        return differences
    }
}
