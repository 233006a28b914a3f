import CommandOutput
import Foundation
import Stores
import Wallet
import WalletAPI

extension ConfigurationKey {
    static let authIssuers = Self(
        "AUTH_ISSUERS",
        .required,
        "Names of the token issuers, separated by commas: letters and digits of your choice, such as main,operators. "
            + "Each name has its own keys AUTH_NAME_…, listed below."
    )
    static let tokenCacheLimit = Self(
        "TOKEN_CACHE_LIMIT",
        .fallback("100000"),
        "Maximum verified bearer tokens in the cache, about 300 bytes each; 0 disables the cache."
    )
}

/// The configuration keys of one token issuer; `NAME` is an entry of `AUTH_ISSUERS` in upper case.
extension ConfigurationKey {
    static func issuer(_ name: String) -> Self {
        Self("AUTH_\(name)_ISSUER", .required, "The exact `iss` of the issuer's tokens.")
    }

    static func audiences(_ name: String) -> Self {
        Self("AUTH_\(name)_AUDIENCES", .required, "Accepted `aud` values, separated by commas.")
    }

    static func sharedSecret(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_HS256_SECRET",
            .optional,
            isSecret: true,
            "Secret of tokens signed with HS256, at least 32 bytes. This or the JWKS address is required."
        )
    }

    static func jwksURL(_ name: String) -> Self {
        Self("AUTH_\(name)_JWKS_URL", .optional, "https address of the issuer's public keys, for ES256 and RS256.")
    }

    static func prefix(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_PREFIX",
            .fallback(""),
            "Prefix of the token's `sub` in a user id. At most one issuer of users may have no prefix."
        )
    }

    static func purpose(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_PURPOSE",
            .fallback("users"),
            "users, or operators for tokens that may call the operator routes."
        )
    }

    static func rightsClaim(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_RIGHTS_CLAIM",
            .fallback("groups"),
            "Claim of operators' tokens that determines their role. Dots lead into objects, as in realm_access.roles. "
                + "A string is compared as a whole, but scope is split at spaces. email is one address, and "
                + "email_verified must be true."
        )
    }

    static func rights(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_RIGHTS",
            .optional,
            "Role for each value of the claim, such as studio-desk=support,studio-owners=admin. The roles are viewer, "
                + "support, operator and admin. Without it, every operator of the issuer may do everything."
        )
    }

    static func wallet(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_WALLET",
            .optional,
            "The wallet in WALLETS that the issuer's tokens belong to, such as eu. Required if WALLETS is set, and "
                + "refused otherwise."
        )
    }

    /// Returns all keys of one issuer, in the order of the help text.
    static func allOfIssuer(_ name: String) -> [Self] {
        [
            issuer(name), audiences(name), sharedSecret(name), jwksURL(name), prefix(name), purpose(name),
            rightsClaim(name), rights(name), wallet(name),
        ]
    }
}

extension Settings {
    /// Returns the settings of authentication.
    func authentication() throws(CommandError) -> AuthenticationConfiguration {
        AuthenticationConfiguration(
            issuers: try self.issuers(),
            keySets: KeySetConfiguration(reach: try self.flag(.outgoingAllowPrivate) ? .anywhere : .publicOnly),
            cachedTokens: try self.integer(.tokenCacheLimit, in: 0...10_000_000)
        )
    }

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

    private enum Purpose: String, CaseIterable {
        case users
        case operators
    }

    /// Returns whether an issuer belongs to `dev`, whose secrets are stored on developers' machines.
    private static func isDevelopment(_ issuer: String) -> Bool {
        let host = URL(string: issuer)?.host(percentEncoded: false) ?? issuer
        let labels = host.lowercased().split(separator: ".")
        return labels.suffix(2) == ["credit-wallet", "invalid"]
    }

    /// Returns the rights of an issuer's operators.
    private func rights(_ name: String) throws(CommandError) -> OperatorRights? {
        let claim = try self.required(.rightsClaim(name))
        guard try self.string(.rights(name)) != nil else { return nil }
        return try self.rights(.rights(name), in: claim)
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
}
