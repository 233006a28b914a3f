import Foundation

extension Settings {
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

    /// Returns the names in the environment and in `.env` that are similar to a key.
    func unknown() -> [UnknownSettings.Finding] {
        let names = Array(ProcessInfo.processInfo.environment.keys) + UnknownSettings.names(inFile: ".env")
        // An invalid list of issuers is ignored here; the command reports it.
        let issuers = ((try? self.list(.authIssuers)) ?? []).map { $0.uppercased() }
        return UnknownSettings(among: names, issuers: issuers, wallets: (try? self.wallets()) ?? []).findings
    }
}
