import CommandOutput
import Configuration
import Foundation
import Stores
import SystemPackage

extension ConfigurationKey {
    static let secretsDirectory = Self(
        "SECRETS_DIRECTORY",
        .fallback("/run/secrets"),
        "Directory with one file per key, named like the key in lower case. The directory may be missing."
    )
}

/// Reads configuration keys as typed values.
///
/// Errors name a missing or malformed key but never show its value.
struct Settings: Sendable {
    private let reader: ConfigReader
    /// The wallet that the settings belong to; nil for the process's settings, or if there is only one wallet.
    private(set) var wallet: WalletAddress?
    /// Keys that are treated as missing in every source.
    private var withoutValue: Set<ConfigurationKey> = []

    init(reader: ConfigReader) {
        self.reader = reader
    }

    /// Loads the settings for a command that a user starts, and warns on standard error about misspelled keys.
    ///
    /// - Parameter defaults: Defaults of the command, which take precedence over the keys' defaults.
    /// - Returns: The settings.
    /// - Throws: ``CommandError`` if `.env` or the secrets directory exists but cannot be read.
    static func loadForCommand(defaults: [ConfigurationKey: String] = [:]) async throws -> Settings {
        let settings = try await Self.load(defaults: defaults)
        for finding in settings.unknown() {
            let line = "credit-wallet: unknown setting \(finding.name) ignored; did you mean \(finding.meant)?\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        return settings
    }

    /// Combines the sources in order of precedence: options, environment, `.env`, secrets directory.
    ///
    /// The keys define their own defaults.
    ///
    /// - Parameters:
    ///   - options: The options of the command line, by key.
    ///   - defaults: Defaults of the command, which take precedence over the keys' defaults.
    ///   - environment: The environment variables.
    ///   - environmentFile: A file with further variables, which may be missing.
    /// - Returns: The settings.
    /// - Throws: ``CommandError`` if `.env` or the secrets directory exists but cannot be read.
    static func load(
        options: [ConfigurationKey: String?] = [:],
        defaults: [ConfigurationKey: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        environmentFile: String = ".env"
    ) async throws -> Settings {
        var providers: [any ConfigProvider] = [
            Self.values(options.compactMapValues { $0 }, from: "options"),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ]
        providers.append(try await Self.environment(in: environmentFile))
        let directory = try Settings(reader: ConfigReader(providers: providers)).required(.secretsDirectory)
        providers.append(try await Self.secrets(in: directory))
        providers.append(Self.values(defaults, from: "defaults"))
        return Settings(reader: ConfigReader(providers: providers))
    }

    private static func values(_ values: [ConfigurationKey: String], from name: String) -> InMemoryProvider {
        let pairs = values.map { key, value in
            (AbsoluteConfigKey([key.name.lowercased()]), ConfigValue(.string(value), isSecret: key.isSecret))
        }
        return InMemoryProvider(name: name, values: Dictionary(uniqueKeysWithValues: pairs))
    }

    private static func environment(in file: String) async throws(CommandError) -> EnvironmentVariablesProvider {
        do {
            return try await EnvironmentVariablesProvider(environmentFilePath: FilePath(file), allowMissing: true)
        } catch {
            throw CommandError(.configuration, "Cannot read \(file): \(error)")
        }
    }

    private static func secrets(in directory: String) async throws(CommandError) -> DirectoryFilesProvider {
        do {
            let files = FilePath(Self.files(of: directory))
            return try await DirectoryFilesProvider(directoryPath: files, allowMissing: true)
        } catch {
            throw CommandError(
                .configuration,
                "Cannot read \(directory) (\(ConfigurationKey.secretsDirectory.name)): \(error)"
            )
        }
    }

    /// Kubernetes mounts secrets through a link named `..data`, and the provider does not read linked files.
    private static func files(of directory: String) -> String {
        let linked = "\(directory)/..data"
        return FileManager.default.fileExists(atPath: linked) ? linked : directory
    }

    /// Returns the settings of one of several wallets.
    ///
    /// A key prefixed with the wallet's name takes precedence over the plain key.
    func of(_ wallet: WalletAddress) -> Settings {
        var settings = self
        settings.wallet = wallet
        return settings
    }

    /// Returns the settings as if no source contained a key.
    func without(_ key: ConfigurationKey) -> Settings {
        var settings = self
        settings.withoutValue.insert(key)
        return settings
    }

    /// Returns the value of a key in the sources; empty for an empty value, and nil if no source contains the key.
    func raw(_ key: ConfigurationKey) -> String? {
        guard !self.withoutValue.contains(key) else { return nil }
        guard let wallet else { return self.ofProcess(key) }
        if key == .databaseURL { return wallet.url }
        let own = ConfigurationKey.allOfWallet.contains(key) ? self.ofProcess(key.of(wallet)) : nil
        return own ?? self.ofProcess(key)
    }

    /// Returns the value of the key itself, without a wallet's prefix.
    func ofProcess(_ key: ConfigurationKey) -> String? {
        // Files with secrets usually end with a line break.
        self.reader.string(forKey: ConfigKey([key.name.lowercased()]), isSecret: key.isSecret)?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns a value or the key's default.
    func string(_ key: ConfigurationKey) throws(CommandError) -> String? {
        // An empty value counts as missing.
        if let value = self.raw(key), !value.isEmpty { return value }
        switch key.absence {
        case .fallback(let fallback): return fallback
        case .optional: return nil
        case .required: throw key.isMissing
        }
    }

    /// Returns a required value.
    func required(_ key: ConfigurationKey) throws(CommandError) -> String {
        guard let value = try self.string(key) else { throw key.isMissing }
        return value
    }

    /// Returns an integer in a range.
    func integer(_ key: ConfigurationKey, in range: ClosedRange<Int>) throws(CommandError) -> Int {
        guard let number = Int(try self.required(key)), range.contains(number) else {
            throw CommandError(
                unusable: key,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns an interval; nil if it is 0, which disables the work.
    func interval(_ key: ConfigurationKey) throws(CommandError) -> Duration? {
        let seconds = try self.integer(key, in: 0...31_536_000)
        return seconds == 0 ? nil : .seconds(seconds)
    }

    /// Returns `true` or `false`.
    func flag(_ key: ConfigurationKey) throws(CommandError) -> Bool {
        guard let flag = Bool(try self.required(key).lowercased()) else {
            throw CommandError(unusable: key, "must be true or false.")
        }
        return flag
    }

    /// Returns values separated by commas; empty values are ignored.
    func list(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        let items = try self.required(key).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard !items.isEmpty else { throw key.isMissing }
        return items
    }

    /// Returns values separated by commas; empty if the key is not set.
    func optionalList(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        try self.string(key) == nil ? [] : try self.list(key)
    }

    /// Returns an instant in RFC 3339.
    func instant(_ key: ConfigurationKey) throws(CommandError) -> Date {
        let text = try self.required(key)
        guard let instant = RFC3339(text) else {
            throw CommandError(unusable: key, "must be a valid instant, such as 2026-11-21T00:00:00Z.")
        }
        return instant.date
    }

    /// Returns one of a type's raw values.
    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: ConfigurationKey,
        of type: Value.Type
    ) throws(CommandError) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: try self.required(key).lowercased()) else {
            let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError(unusable: key, "must be one of \(choices).")
        }
        return value
    }

    /// Returns the names in the environment and in `.env` that are similar to a key.
    func unknown() -> [UnknownSettings.Finding] {
        let names = Array(ProcessInfo.processInfo.environment.keys) + UnknownSettings.names(inFile: ".env")
        // An invalid list of issuers is ignored here; the command reports it.
        let issuers = ((try? self.list(.authIssuers)) ?? []).map { $0.uppercased() }
        return UnknownSettings(among: names, issuers: issuers, wallets: (try? self.wallets()) ?? []).findings
    }
}

extension CommandError {
    /// Creates an error for an invalid value.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - rule: The rule for the value, such as "must be true or false.", which follows the key's name.
    fileprivate init(unusable key: ConfigurationKey, _ rule: String) {
        self.init(.configuration, "\(key.name) \(rule)", setting: key.name)
    }
}

/// Detects settings that are ignored because their names are misspelled.
struct UnknownSettings: Sendable {
    /// A name that was set, and the key that was probably intended.
    struct Finding: Sendable, Equatable {
        let name: String
        let meant: String
    }

    /// The maximum number of wrong characters; a larger number would match variables of other programs.
    private static let mostChanges = 2

    let findings: [Finding]

    /// Compares the names with the known keys.
    ///
    /// - Parameters:
    ///   - names: The names in the environment and in `.env`.
    ///   - issuers: The names of the issuers, in upper case.
    ///   - wallets: The wallets, if there are several.
    init(among names: some Sequence<String>, issuers: [String], wallets: [WalletAddress] = []) {
        let ofWallets = wallets.flatMap { wallet in ConfigurationKey.allOfWallet.map { $0.of(wallet) } }
        let known = Set(
            (ConfigurationKey.all + issuers.flatMap(ConfigurationKey.allOfIssuer) + ofWallets).map(\.name)
        )
        // A key of the process with a wallet's prefix is ignored; the plain key was intended.
        let common = wallets.flatMap { wallet in
            ConfigurationKey.allOfProcess.map { ($0.of(wallet).name, $0.name) }
        }
        let meant = Dictionary(common) { first, _ in first }
        self.findings = Set(names).subtracting(known).sorted().compactMap { name in
            if let key = meant[name] { return Finding(name: name, meant: key) }
            let close = known.filter { abs($0.count - name.count) <= Self.mostChanges }
                .map { (key: $0, changes: Self.changes(from: Array(name), to: Array($0))) }
                .filter { $0.changes <= Self.mostChanges }
                .min { ($0.changes, $0.key) < ($1.changes, $1.key) }
            return close.map { Finding(name: name, meant: $0.key) }
        }
    }

    /// Returns the names that a file in the format of `.env` sets; empty if there is no file.
    static func names(inFile path: String) -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let name = line.split(separator: "=", maxSplits: 1).first?.trimmingCharacters(in: .whitespaces) ?? ""
            return line.contains("=") && !name.hasPrefix("#") ? name : nil
        }
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour.
    private static func changes(from: [Character], to: [Character]) -> Int {
        var rows = [Array(0...to.count)]
        for (i, letter) in from.enumerated() {
            var row = [i + 1]
            for (j, other) in to.enumerated() {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == to[j - 1], from[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}
