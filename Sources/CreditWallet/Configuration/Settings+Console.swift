import Foundation
import Wallet
import WalletAPI
import WalletConsole

extension Settings {
    /// Returns the settings for the console's sign-in; nil if there is no console.
    func operatorSignIn() throws(CommandError) -> OperatorSignIn? {
        guard let issuer = try self.string(.consoleIssuer) else { return nil }
        let url = try self.consoleAddress()
        let secret = Array(try self.required(.consoleSecret).utf8)
        guard secret.count >= 32 else {
            throw CommandError(.configuration, "\(ConfigurationKey.consoleSecret.name) must have at least 32 bytes.")
        }
        return OperatorSignIn(
            openID: try self.openID(issuer, redirectURL: "\(url)/console/signed-in"),
            rights: try self.rights(.consoleRights, in: try self.required(.consoleRightsClaim)),
            prefix: try self.consolePrefix(),
            limit: RateLimit(quota: 2 * (try self.integer(.consoleSignIns, in: 1...100_000)), window: 60),
            secret: secret,
            wallet: self.wallet?.name,
            apiURL: try self.string(.consoleAPIURL) ?? url,
            isSecure: url.hasPrefix("https:"),
            idleLifetime: 60 * Double(try self.integer(.consoleIdleMinutes, in: 1...1_440)),
            lifetime: 3_600 * Double(try self.integer(.consoleHours, in: 1...168)),
            moneyLifetime: 60 * Double(try self.integer(.consoleMoneyMinutes, in: 1...1_440))
        )
    }

    /// Returns the console's own address; nil if the console shares the API's address.
    func operatorPages() throws(CommandError) -> ListenAddress? {
        guard try self.string(.consoleIssuer) != nil else { return nil }
        guard try self.string(.consolePort) != nil else {
            // The console's links are absolute paths, so they would lose the prefix `/wallets/NAME`.
            guard let wallet else { return nil }
            let key = ConfigurationKey.consolePort.of(wallet).name
            throw CommandError(.configuration, "\(key) is missing. Each wallet's console needs its own port.")
        }
        return ListenAddress(
            host: try self.required(.consoleHost),
            port: try self.integer(.consolePort, in: 0...65_535)
        )
    }

    /// Returns the rights for the values of a claim, from pairs such as `studio-desk=support`.
    func rights(_ key: ConfigurationKey, in claim: String) throws(CommandError) -> OperatorRights {
        var rights: [String: OperatorRight] = [:]
        for pair in try self.list(key) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let right = OperatorRight(rawValue: String(parts[1])) else {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain pairs such as studio-desk=support; the roles are "
                        + "\(OperatorRight.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            if claim.split(separator: ".").last == "email", !OperatorRights.isAddress(String(parts[0])) {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain one email address per person, without quotes."
                )
            }
            rights[String(parts[0])] = right
        }
        return OperatorRights(claim: claim, rights: rights)
    }

    private func openID(_ issuer: String, redirectURL: String) throws(CommandError) -> OpenIDConfiguration {
        let configuration = OpenIDConfiguration(
            issuer: issuer,
            clientID: try self.required(.consoleClientID),
            clientSecret: try self.string(.consoleClientSecret),
            scopes: try self.required(.consoleScopes),
            redirectURL: redirectURL,
            // A console on the loopback address may use an issuer on the loopback address.
            allowsPlainLoopback: try self.flag(.outgoingAllowPrivate) || redirectURL.hasPrefix("http:")
        )
        do {
            try configuration.validate()
        } catch {
            throw CommandError(.configuration, "Invalid console configuration. \(error.reason)")
        }
        return configuration
    }

    private func consolePrefix() throws(CommandError) -> String {
        let prefix = try self.string(.consolePrefix) ?? ""
        guard prefix.utf8.count <= 64, prefix.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.consolePrefix.name) must have at most 64 printable ASCII characters without spaces."
            )
        }
        return prefix
    }

    private func consoleAddress() throws(CommandError) -> String {
        let text = try self.required(.consoleURL)
        let address = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: address), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.scheme == "https" || (url.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)),
            url.path().isEmpty, url.query() == nil, url.user() == nil
        else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.consoleURL.name) must be an https address without a path, such as "
                    + "https://wallet.example."
            )
        }
        return address
    }
}
