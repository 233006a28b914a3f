/// The configuration keys of one token issuer; `NAME` is an entry of `AUTH_ISSUERS` in upper case.
extension ConfigurationKey {
    static func issuer(_ name: String) -> Self {
        Self("AUTH_\(name)_ISSUER", .required, "The exact `iss` of its tokens.")
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
        Self("AUTH_\(name)_JWKS_URL", .optional, "https address of its public keys, for ES256 and RS256.")
    }

    static func prefix(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_PREFIX",
            .fallback(""),
            "What stands before the token's `sub` in a user id; at most one issuer of users has none."
        )
    }

    static func purpose(_ name: String) -> Self {
        Self("AUTH_\(name)_PURPOSE", .fallback("users"), "users, or operators: its tokens open the operator routes.")
    }

    static func rightsClaim(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_RIGHTS_CLAIM",
            .fallback("groups"),
            "Claim of operators' tokens that says what they may do; dots lead into objects, as in realm_access.roles. A "
                + "text is compared whole, but scope is split at spaces; email is one address with email_verified true."
        )
    }

    static func rights(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_RIGHTS",
            .optional,
            "What the claim's values stand for, such as studio-desk=support,studio-owners=admin; the rights are viewer, "
                + "support, operator and admin. Without it every operator of the issuer may do everything."
        )
    }

    static func wallet(_ name: String) -> Self {
        Self(
            "AUTH_\(name)_WALLET",
            .optional,
            "Which of WALLETS its tokens belong to, such as eu; required there, and refused where there is one wallet."
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
