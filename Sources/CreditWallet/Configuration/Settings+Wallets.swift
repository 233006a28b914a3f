extension Settings {
    private static let longestName = 20

    /// Returns the wallets that the process serves; empty if `DATABASE_URL` configures the only wallet.
    ///
    /// - Returns: The wallets in the order of the list.
    /// - Throws: ``CommandError`` for an invalid list, or if `DATABASE_URL` or `DATABASE_READ_URL` is also set.
    func wallets() throws(CommandError) -> [WalletAddress] {
        guard let text = try self.string(.wallets) else { return [] }
        for key in [ConfigurationKey.databaseURL, .databaseReadURL] where !(self.ofProcess(key) ?? "").isEmpty {
            throw CommandError(
                .configuration,
                "\(key.name) and \(ConfigurationKey.wallets.name) exclude each other."
            )
        }
        let wallets = try Self.wallets(in: text)
        let keys = Set(ConfigurationKey.all.map(\.name))
        for (place, wallet) in wallets.enumerated() {
            guard wallets[..<place].allSatisfy({ $0.name != wallet.name && $0.url != wallet.url }) else {
                throw Self.refused("contains a duplicate name or database: \(wallet.name)")
            }
            // After `AUTH_`, an issuer's key may contain any name.
            let isFree = ConfigurationKey.allOfWallet.allSatisfy { !keys.contains($0.of(wallet).name) }
            guard wallet.name != "auth", isFree else {
                throw Self.refused("contains the reserved name \(wallet.name), which is the prefix of other keys")
            }
        }
        return wallets
    }

    /// Parses the list of wallets.
    ///
    /// URLs may contain commas, so a new entry begins only where a name and a scheme follow the comma.
    private static func wallets(in text: String) throws(CommandError) -> [WalletAddress] {
        var wallets: [WalletAddress] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let entry = piece.trimmingPrefix(/\s*/).wholeMatch(of: /([^:\/?#@]*):(postgres(?:ql)?:\/\/.*)/) {
                wallets.append(WalletAddress(name: try self.checked(entry.1), url: String(entry.2)))
            } else if let last = wallets.popLast() {
                wallets.append(WalletAddress(name: last.name, url: "\(last.url),\(piece)"))
            } else {
                throw Self.refused("must contain entries such as eu:postgresql://…, separated by commas")
            }
        }
        return wallets
    }

    private static func checked(_ name: Substring) throws(CommandError) -> String {
        guard name.count <= Self.longestName, name.wholeMatch(of: /[a-z][a-z0-9]*/) != nil else {
            throw Self.refused(
                "contains an invalid name: use up to \(Self.longestName) lower-case letters and digits, a letter first"
            )
        }
        return String(name)
    }

    private static func refused(_ reason: String) -> CommandError {
        CommandError(.configuration, "\(ConfigurationKey.wallets.name) \(reason).")
    }
}
