import Logging

extension Settings {
    /// The settings that are not as they are when nobody says, for the first line of the log.
    ///
    /// - Returns: Values by name; what is a secret is left out.
    /// - Throws: ``CommandError`` for a value that cannot be read.
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
