import AsyncHTTPClient
import Foundation
import Logging
import Wallet
import WalletAPI

extension ServerHarness {
    private static let operatorForge = TokenForge(secret: "the-operators-secret-is-another-one!")
    private static let otherForge = TokenForge(secret: "the-other-issuer's-secret-of-32-bytes")

    /// Returns a verifier with two issuers of users, one of them with a prefix, and one issuer of operators.
    static func tokens() async throws -> TokenVerifier {
        var configuration = AuthenticationConfiguration(issuers: [
            IssuerConfiguration(
                issuer: TokenForge.issuer,
                audiences: [TokenForge.audience],
                sharedSecret: TokenForge().secret
            ),
            IssuerConfiguration(
                issuer: Self.otherIssuer,
                audiences: [TokenForge.audience],
                prefix: "other:",
                sharedSecret: Self.otherForge.secret
            ),
            IssuerConfiguration(
                issuer: Self.operatorIssuer,
                audiences: [TokenForge.audience],
                purpose: .operators,
                sharedSecret: Self.operatorForge.secret,
                rights: OperatorRights(
                    claim: "studio.groups",
                    rights: ["all": .viewer, "desk": .support, "managers": .operator, "owners": .admin]
                )
            ),
        ])
        configuration.profileClaims = ProfileClaims(name: "user_metadata.full_name", email: "email")
        return try TokenVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
    }

    /// Returns the claims of a token that was issued five minutes ago.
    static func claims(
        issuer: String = TokenForge.issuer,
        subject: String,
        _ changes: [String: any Sendable] = [:]
    ) -> [String: any Sendable] {
        let issuedAt = Self.tokensIssuedAt
        let times: [String: any Sendable] = ["exp": Int(issuedAt.timeIntervalSince1970) + 3_600]
        return TokenForge.claims(
            issuer: issuer,
            subject: subject,
            issuedAt: issuedAt,
            times.merging(changes) { $1 }
        )
    }

    private static var tokensIssuedAt: Date { Date(timeIntervalSinceNow: -300) }

    static func token(_ user: String, _ changes: [String: any Sendable] = [:]) throws -> String {
        try TokenForge().shared(Self.claims(subject: user, changes))
    }

    /// Returns a token without an issue time.
    static func undatedToken(_ user: String) throws -> String {
        var claims = Self.claims(subject: user)
        claims["iat"] = nil
        return try TokenForge().shared(claims)
    }

    /// Returns a token of a user who has not signed in.
    static func anonymousToken(_ user: String) throws -> String {
        try Self.token(user, ["is_anonymous": true])
    }

    static func otherIssuersToken(_ user: String, _ changes: [String: any Sendable] = [:]) throws -> String {
        try Self.otherForge.shared(Self.claims(issuer: Self.otherIssuer, subject: user, changes))
    }

    /// Returns an operator token with the studio's groups; without groups the token has no such claim.
    static func operatorToken(_ actor: String = "mia", groups: [String] = ["owners"]) throws -> String {
        let claim: [String: any Sendable] = groups.isEmpty ? [:] : ["studio": ["groups": groups]]
        return try Self.operatorForge.shared(Self.claims(issuer: Self.operatorIssuer, subject: actor, claim))
    }
}
