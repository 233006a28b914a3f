extension Settings {
    /// Throws if required keys are missing, and names all of them.
    ///
    /// Keys that are required only together with another key are checked when they are read.
    ///
    /// - Throws: ``CommandError`` with a line for each key.
    func requireAll() throws(CommandError) {
        try self.refuse { settings throws(CommandError) in try settings.missing() }
    }

    /// Throws if values are invalid, and names all of them.
    ///
    /// - Throws: ``CommandError`` with a line for each invalid value. For rules that involve several keys, it reports
    ///   the first violation.
    func requireUsable() throws(CommandError) {
        try self.refuse { $0.unusable() }
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

    private func unusable() -> [String] {
        var lines: [String] = []
        for part in ServiceConfiguration.Part.allCases {
            var settings = self
            while let error = settings.failure(of: part) {
                let isOfProcess = error.key.map { !ConfigurationKey.allOfWallet.contains($0) } ?? false
                lines.append(error.of(isOfProcess ? nil : self.wallet?.name).message)
                // Continue with the key's default to find further errors.
                guard let key = error.key, case .fallback = key.absence else { break }
                settings = settings.without(key)
            }
        }
        return lines
    }

    private func failure(of part: ServiceConfiguration.Part) -> CommandError? {
        do throws(CommandError) {
            try part.read(self)
            return nil
        } catch {
            return error
        }
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
}
