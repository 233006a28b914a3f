import Foundation

extension Settings {
    /// Puts the sources in order for a command that a person starts, and names on standard error what is set in vain.
    ///
    /// - Parameter defaults: What the command takes in place of the keys' own defaults.
    /// - Returns: The settings.
    /// - Throws: ``CommandError`` if `.env` or the secrets directory is there but cannot be read.
    static func loadForCommand(defaults: [ConfigurationKey: String] = [:]) async throws -> Settings {
        let settings = try await Self.load(defaults: defaults)
        for finding in settings.unknown() {
            let line = "credit-wallet: \(finding.name) is not known, and is ignored; did you mean \(finding.meant)?\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        return settings
    }

    /// The names in the environment and in `.env` that are nearly a key.
    func unknown() -> [UnknownSettings.Finding] {
        let names = Array(ProcessInfo.processInfo.environment.keys) + UnknownSettings.names(inFile: ".env")
        // Without issuers none of their keys is known; whether there must be some is for the command to say.
        let issuers = ((try? self.list(.authIssuers)) ?? []).map { $0.uppercased() }
        return UnknownSettings(among: names, issuers: issuers, wallets: (try? self.wallets()) ?? []).findings
    }
}
