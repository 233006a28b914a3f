import CommandOutput
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
    var operatorConnections = 2
    /// The settings for batches of bookings.
    let batching: BatchingConfiguration
    var http: WalletServerConfiguration
    let authentication: AuthenticationConfiguration
    let stores: StoresConfiguration
    /// The networks that calls to stores and key sets may reach.
    var reach = EgressPolicy.publicOnly
    let work: WorkConfiguration
    /// The settings for the console's sign-in; nil disables the console.
    var operatorSignIn: OperatorSignIn?
    /// The settings of the metrics endpoint; nil disables it.
    var admin: AdminConfiguration?
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
        return pool
    }
}

extension ServiceConfiguration {
    /// Reads the configuration.
    ///
    /// - Parameter settings: The settings to read from.
    /// - Throws: ``CommandError`` for the first missing or invalid key; `requireUsable` reports all of them.
    init(_ settings: Settings) throws(CommandError) {
        self.init(
            database: try settings.database(),
            standbys: try settings.standbys(),
            operatorConnections: try settings.integer(.databaseOperatorConnections, in: 1...100),
            batching: try settings.batching(),
            http: try settings.http(),
            authentication: try settings.authentication(),
            stores: try settings.stores(),
            reach: try settings.reach(),
            work: try settings.work(),
            operatorSignIn: try settings.operatorSignIn(),
            admin: try settings.admin(),
            traces: try settings.traces(),
            shutdownTimeout: try settings.shutdownTimeout()
        )
    }
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
            lines.append("\(whose ?? "")\(key.name) is missing. \(key.meaning)")
        }
        for name in try self.issuerNames() {
            let proofs = [ConfigurationKey.sharedSecret(name), .jwksURL(name)]
            if !proofs.contains(where: self.has) { lines.append("\(proofs[0].name) or \(proofs[1].name) is missing.") }
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
        for part in ServiceConfiguration.Part.allCases {
            var settings = self
            while let error = settings.failure(of: part) {
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

    private func failure(of part: ServiceConfiguration.Part) -> CommandError? {
        do throws(CommandError) {
            try part.read(self)
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

extension ServiceConfiguration {
    /// A group of keys whose mistakes are independent of those of other groups.
    enum Part: CaseIterable {
        case database, standbys, operatorConnections, batching, http, authentication, stores, work, operatorSignIn,
            admin
        case traces, logLevel

        /// Reads the group's keys.
        ///
        /// - Parameter settings: The settings to read from.
        /// - Throws: ``CommandError`` for the first key with a missing or unusable value.
        func read(_ settings: Settings) throws(CommandError) {
            switch self {
            case .database: _ = try settings.database()
            case .standbys: _ = try settings.standbys()
            case .operatorConnections: _ = try settings.integer(.databaseOperatorConnections, in: 1...100)
            case .batching: _ = try settings.batching()
            case .http: _ = try settings.http()
            case .authentication: _ = try settings.authentication()
            case .stores: _ = try settings.stores()
            case .work: _ = try settings.work()
            case .operatorSignIn: _ = try settings.operatorSignIn()
            case .admin: _ = try settings.admin()
            case .traces: _ = try settings.traces()
            case .logLevel: _ = try settings.logLevel()
            }
        }
    }
}
