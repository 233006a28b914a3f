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
    static let profileClaims = Self(
        "PROFILE_CLAIMS",
        .optional,
        "Claims of users' tokens with a name and an email address for operators to read, such as "
            + "name=user_metadata.full_name,email=email. Dots lead into objects. An address is ignored if email_verified "
            + "beside it is false. Without this key, nothing is stored."
    )
    static let tokenCacheLimit = Self(
        "TOKEN_CACHE_LIMIT",
        .fallback(value: AuthenticationConfiguration(issuers: []).cachedTokens),
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

    /// The error for an issuer that has neither a secret nor a key set.
    static func keyIsMissing(_ name: String) -> CommandError {
        sharedSecret(name).refused("or \(jwksURL(name).name) is missing.")
    }

    /// Returns all keys of one issuer, in the order of the help text.
    static func allOfIssuer(_ name: String) -> [Self] {
        [
            issuer(name), audiences(name), sharedSecret(name), jwksURL(name), prefix(name), purpose(name),
            rightsClaim(name), rights(name), wallet(name),
        ]
    }
}

extension AuthenticationConfiguration {
    /// Reads the configuration of authentication.
    ///
    /// - Configuration keys: `OUTGOING_ALLOW_PRIVATE`, `TOKEN_CACHE_LIMIT`, `PROFILE_CLAIMS`, and those of the
    ///   issuers.
    init(reader: Settings) throws(CommandError) {
        self.init(issuers: try IssuerConfiguration.all(reader: reader))
        self.keySets.reach = try reader.flag(.outgoingAllowPrivate) ? .anywhere : .publicOnly
        self.cachedTokens = try reader.integer(.tokenCacheLimit, in: 0...10_000_000)
        self.profileClaims = try ProfileClaims(reader: reader)
    }
}

extension ProfileClaims {
    /// Reads the claims with names and email addresses; nil stores none.
    ///
    /// - Configuration keys: `PROFILE_CLAIMS`.
    init?(reader: Settings) throws(CommandError) {
        let pairs = try reader.optionalList(.profileClaims)
        guard !pairs.isEmpty else { return nil }
        self.init()
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            switch (parts.first, parts.count) {
            case ("name", 2) where self.name == nil: self.name = parts[1]
            case ("email", 2) where self.email == nil: self.email = parts[1]
            default:
                throw ConfigurationKey.profileClaims.refused(
                    "must have the form name=CLAIM,email=CLAIM, with one or both of the pairs."
                )
            }
        }
    }
}

extension IssuerConfiguration {
    /// Reads the accepted token issuers; for one of several wallets, those whose tokens belong to it.
    ///
    /// - Configuration keys: `AUTH_ISSUERS`, `AUTH_NAME_WALLET`, and those of each issuer.
    static func all(reader: Settings) throws(CommandError) -> [Self] {
        let wallets = try reader.wallets().map(\.name)
        var issuers: [(name: String, wallet: String?, issuer: Self)] = []
        for name in try reader.list(.authIssuers) {
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw ConfigurationKey.authIssuers.refused("may contain only letters, digits and commas.")
            }
            let name = name.uppercased()
            let issuer = try Self(name, reader: reader)
            let wallet = try reader.wallet(of: name, among: wallets)
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
        guard let own = reader.wallet?.name else { return issuers.map(\.issuer) }
        let found = issuers.filter { $0.wallet == own }.map(\.issuer)
        guard !found.isEmpty else {
            throw CommandError(
                .configuration,
                "The wallet \(own) has no issuer. Set AUTH_…_WALLET=\(own) for an issuer."
            )
        }
        return found
    }

    /// Reads one issuer.
    ///
    /// - Configuration keys: `AUTH_NAME_HS256_SECRET`, `AUTH_NAME_JWKS_URL`, `AUTH_NAME_ISSUER`, `AUTH_NAME_AUDIENCES`,
    ///   `AUTH_NAME_PURPOSE`, `AUTH_NAME_PREFIX`, `AUTH_NAME_RIGHTS_CLAIM`, `AUTH_NAME_RIGHTS`.
    private init(_ name: String, reader: Settings) throws(CommandError) {
        let secret = try reader.string(.sharedSecret(name))
        let jwksURL = try reader.string(.jwksURL(name))
        guard secret != nil || jwksURL != nil else { throw ConfigurationKey.keyIsMissing(name) }
        let issuer = try reader.required(.issuer(name))
        guard !Self.isDevelopment(issuer) else {
            throw ConfigurationKey.issuer(name).refused("must not be an issuer of credit-wallet dev.")
        }
        self.init(
            issuer: issuer,
            audiences: try reader.list(.audiences(name)),
            purpose: try reader.choice(.purpose(name), of: Purpose.self),
            prefix: try reader.string(.prefix(name)) ?? "",
            sharedSecret: secret.map { Array($0.utf8) },
            jwksURL: jwksURL,
            rights: try OperatorRights(name, reader: reader)
        )
    }

    /// Returns whether an issuer belongs to `dev`, whose secrets are stored on developers' machines.
    private static func isDevelopment(_ issuer: String) -> Bool {
        let host = URL(string: issuer)?.host(percentEncoded: false) ?? issuer
        let labels = host.lowercased().split(separator: ".")
        return labels.suffix(2) == ["credit-wallet", "invalid"]
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

extension OperatorRights {
    /// Reads the rights of an issuer's operators; nil grants them all rights.
    ///
    /// - Configuration keys: `AUTH_NAME_RIGHTS_CLAIM`, `AUTH_NAME_RIGHTS`.
    fileprivate init?(_ name: String, reader: Settings) throws(CommandError) {
        let claim = try reader.required(.rightsClaim(name))
        guard try reader.string(.rights(name)) != nil else { return nil }
        try self.init(.rights(name), in: claim, reader: reader)
    }

    /// Reads the rights for the values of a claim, from pairs such as `studio-desk=support`.
    init(_ key: ConfigurationKey, in claim: String, reader: Settings) throws(CommandError) {
        var rights: [String: OperatorRight] = [:]
        for pair in try reader.list(key) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let right = OperatorRight(rawValue: String(parts[1])) else {
                let roles = OperatorRight.allCases.map(\.rawValue).joined(separator: ", ")
                throw key.refused("must contain pairs such as studio-desk=support; the roles are \(roles).")
            }
            if claim.split(separator: ".").last == "email", !Self.isAddress(String(parts[0])) {
                throw key.refused("must contain one email address per person, without quotes.")
            }
            rights[String(parts[0])] = right
        }
        self.init(claim: claim, rights: rights)
    }
}

extension Settings {
    /// Returns the wallet that an issuer's tokens belong to; nil if there is only one wallet.
    fileprivate func wallet(of issuer: String, among wallets: [String]) throws(CommandError) -> String? {
        let key = ConfigurationKey.wallet(issuer)
        let wallet = try self.string(key)
        guard wallet != nil || !wallets.isEmpty else { return nil }
        guard let wallet, wallets.contains(wallet) else {
            let reason =
                wallets.isEmpty
                ? "requires \(ConfigurationKey.wallets.name), which is not set"
                : "must be one of \(wallets.joined(separator: ", "))"
            throw key.refused("\(reason).")
        }
        return wallet
    }
}
