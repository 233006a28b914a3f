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
