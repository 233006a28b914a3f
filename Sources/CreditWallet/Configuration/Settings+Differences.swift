import Logging

extension Settings {
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
