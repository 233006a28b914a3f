public import AsyncHTTPClient
public import Foundation
public import Logging
import Stores

/// Configures whose Pub/Sub pushes are believed.
public struct PushConfiguration: Sendable {
    /// The issuer of push tokens.
    public static let vendorIssuer = "https://accounts.google.com"
    /// Where the issuer's keys are published.
    public static let vendorKeys = "https://www.googleapis.com/oauth2/v3/certs"

    /// The audience set on the push subscription.
    public var audience: String
    /// The service account set on the push subscription.
    public var email: String
    /// Where the keys of push tokens are published.
    public var keysURL: String
    /// How key sets are fetched.
    public var keySets: KeySetConfiguration

    /// Configures push tokens.
    ///
    /// - Parameters:
    ///   - audience: The audience set on the push subscription.
    ///   - email: The service account set on the push subscription.
    ///   - keysURL: Where the keys are published.
    ///   - keySets: How key sets are fetched.
    public init(
        audience: String,
        email: String,
        keysURL: String = Self.vendorKeys,
        keySets: KeySetConfiguration = KeySetConfiguration()
    ) {
        self.audience = audience
        self.email = email
        self.keysURL = keysURL
        self.keySets = keySets
    }

    /// Whether the keys come from the vendor; anything else needs the operator's explicit word.
    public var usesVendorEndpoints: Bool { self.keysURL == Self.vendorKeys }
}

/// Decides whether Google's Pub/Sub sent a push: an OIDC token of its service account, for us, within its time.
public struct PushVerifier: Sendable {
    private static let leeway: Double = 60

    private let configuration: PushConfiguration
    private let issuer: TokenIssuer
    private let now: @Sendable () -> Date

    /// Makes a verifier; keys are fetched when first needed.
    ///
    /// - Parameters:
    ///   - configuration: Whose pushes are believed.
    ///   - httpClient: What fetches the keys.
    ///   - logger: Learns of keys that cannot be fetched.
    ///   - now: The clock that tokens are checked against.
    /// - Throws: ``WalletAPIError/Code/invalidConfiguration`` for an address that is not https.
    public init(
        configuration: PushConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        self.configuration = configuration
        self.issuer = try await TokenIssuer(
            IssuerConfiguration(
                issuer: PushConfiguration.vendorIssuer,
                audiences: [configuration.audience],
                jwksURL: configuration.keysURL
            ),
            keySets: configuration.keySets,
            client: httpClient,
            logger: logger,
            now: now
        )
        self.now = now
    }

    func verify(_ token: String) async throws(WalletAPIError) {
        let token = try CompactToken(token)
        guard [ExactText(PushConfiguration.vendorIssuer), "accounts.google.com"].contains(token.claims.issuer) else {
            throw .refused("The token's issuer is not accepted here.")
        }
        let key = try await self.issuer.key(for: token.header)
        guard key.algorithm == .rs256, key.signed(token) else { throw .refused("The token's signature is not valid.") }
        try token.claims.lifetime.check(now: self.now().timeIntervalSince1970, leeway: Self.leeway)
        try token.claims.checkAudience([self.configuration.audience])
        guard token.claims.email == ExactText(self.configuration.email), token.claims.isEmailVerified else {
            throw .refused("The token is not the push service's.")
        }
    }
}
