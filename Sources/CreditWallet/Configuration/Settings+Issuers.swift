import Foundation
import Wallet
import WalletAPI

extension Settings {
    /// Returns the accepted token issuers; for one of several wallets, those whose tokens belong to it.
    func issuers() throws(CommandError) -> [IssuerConfiguration] {
        let wallets = try self.wallets().map(\.name)
        var issuers: [(name: String, wallet: String?, issuer: IssuerConfiguration)] = []
        for name in try self.list(.authIssuers) {
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw CommandError(
                    .configuration,
                    "\(ConfigurationKey.authIssuers.name) may contain only letters, digits and commas."
                )
            }
            let name = name.uppercased()
            let issuer = try self.issuer(name)
            let wallet = try self.wallet(of: name, among: wallets)
            for other in issuers {
                let names = [other.name, name]
                try Self.refuse(issuer.sharesSecret(with: other.issuer), names, ConfigurationKey.sharedSecret)
                try Self.refuse(issuer.sharesKeySet(with: other.issuer), names, ConfigurationKey.jwksURL)
                guard wallet == other.wallet || issuer.issuer != other.issuer.issuer else {
                    let keys = names.map { ConfigurationKey.issuer($0).name }.joined(separator: " and ")
                    throw CommandError(.configuration, "\(keys) are equal, but belong to two wallets.")
                }
            }
            issuers.append((name, wallet, issuer))
        }
        guard let own = self.wallet?.name else { return issuers.map(\.issuer) }
        let found = issuers.filter { $0.wallet == own }.map(\.issuer)
        guard !found.isEmpty else {
            throw CommandError(
                .configuration,
                "The wallet \(own) has no issuer. Set AUTH_…_WALLET=\(own) for an issuer."
            )
        }
        return found
    }

    /// Returns the wallet that an issuer's tokens belong to; nil if there is only one wallet.
    private func wallet(of issuer: String, among wallets: [String]) throws(CommandError) -> String? {
        let key = ConfigurationKey.wallet(issuer)
        let wallet = try self.string(key)
        guard wallet != nil || !wallets.isEmpty else { return nil }
        guard let wallet, wallets.contains(wallet) else {
            let reason =
                wallets.isEmpty
                ? "requires \(ConfigurationKey.wallets.name), which is not set"
                : "must be one of \(wallets.joined(separator: ", "))"
            throw CommandError(.configuration, "\(key.name) \(reason).")
        }
        return wallet
    }

    /// Refuses a secret or key set that two issuers share, and names their keys.
    private static func refuse(
        _ isShared: Bool,
        _ names: [String],
        _ key: (String) -> ConfigurationKey
    ) throws(CommandError) {
        guard isShared else { return }
        let keys = names.map { key($0).name }.joined(separator: " and ")
        throw CommandError(.configuration, "\(keys) are equal: one issuer could then sign tokens of the other.")
    }

    /// Returns whether an issuer belongs to `dev`, whose secrets are stored on developers' machines.
    private static func isDevelopment(_ issuer: String) -> Bool {
        let host = URL(string: issuer)?.host(percentEncoded: false) ?? issuer
        let labels = host.lowercased().split(separator: ".")
        return labels.suffix(2) == ["credit-wallet", "invalid"]
    }

    private func issuer(_ name: String) throws(CommandError) -> IssuerConfiguration {
        let secret = try self.string(.sharedSecret(name))
        let jwksURL = try self.string(.jwksURL(name))
        guard secret != nil || jwksURL != nil else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.sharedSecret(name).name) or \(ConfigurationKey.jwksURL(name).name) is missing."
            )
        }
        let issuer = try self.required(.issuer(name))
        guard !Self.isDevelopment(issuer) else {
            let key = ConfigurationKey.issuer(name).name
            throw CommandError(.configuration, "\(key) must not be an issuer of credit-wallet dev.")
        }
        return IssuerConfiguration(
            issuer: issuer,
            audiences: try self.list(.audiences(name)),
            purpose: try self.choice(.purpose(name), of: Purpose.self) == .operators ? .operators : .users,
            prefix: try self.string(.prefix(name)) ?? "",
            sharedSecret: secret.map { Array($0.utf8) },
            jwksURL: jwksURL,
            rights: try self.rights(name)
        )
    }

    /// Returns the rights of an issuer's operators.
    private func rights(_ name: String) throws(CommandError) -> OperatorRights? {
        let claim = try self.required(.rightsClaim(name))
        guard try self.string(.rights(name)) != nil else { return nil }
        return try self.rights(.rights(name), in: claim)
    }

    private enum Purpose: String, CaseIterable {
        case users
        case operators
    }
}
