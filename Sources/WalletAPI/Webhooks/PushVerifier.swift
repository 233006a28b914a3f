public import AsyncHTTPClient
public import Foundation
import JOSE
import JSON
public import Logging

/// The settings that determine which Pub/Sub pushes are accepted.
public struct PushConfiguration: Sendable {
    /// The issuer of push tokens.
    public static let vendorIssuer = "https://accounts.google.com"
    /// The address of the issuer's published keys.
    public static let vendorKeys = "https://www.googleapis.com/oauth2/v3/certs"

    /// The audience set on the push subscription.
    public var audience: String
    /// The service account set on the push subscription.
    public var email: String
    /// The address of the published keys for push tokens.
    public var keysURL: String
    /// The settings for fetching key sets.
    public var keySets: KeySetConfiguration

    /// Creates a configuration for push tokens.
    ///
    /// - Parameters:
    ///   - audience: The audience set on the push subscription.
    ///   - email: The service account set on the push subscription.
    ///   - keysURL: The address of the published keys.
    ///   - keySets: The settings for fetching key sets.
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

    /// A Boolean value that indicates whether the keys come from the vendor; any other source must be allowed
    /// explicitly.
    public var usesVendorEndpoints: Bool { self.keysURL == Self.vendorKeys }
}

/// Verifies that Google's Pub/Sub sent a push: an OIDC token of the service account, for this audience, within its
/// time.
public struct PushVerifier: Sendable {
    private static let leeway: Double = 60

    private let configuration: PushConfiguration
    private let issuer: TokenIssuer
    private let now: @Sendable () -> Date

    /// Creates a verifier; keys are fetched when they are first needed.
    ///
    /// - Parameters:
    ///   - configuration: The accepted pushes.
    ///   - httpClient: The client that fetches the keys.
    ///   - logger: The logger for keys that cannot be fetched.
    ///   - now: A closure that returns the current time.
    /// - Throws: ``WalletAPIError/Code/invalidConfiguration`` if the address is not https.
    public init(
        configuration: PushConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.configuration = configuration
        self.issuer = try TokenIssuer(
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
        guard key.algorithm == .rs256, key.signed(token.jws) else {
            throw .refused("The token's signature is not valid.")
        }
        try token.claims.lifetime.check(now: self.now().timeIntervalSince1970, leeway: Self.leeway)
        try token.claims.checkAudience([self.configuration.audience])
        guard token.claims.email == ExactText(self.configuration.email), token.claims.isEmailVerified else {
            throw .refused("The token does not belong to the configured push service account.")
        }
    }
}
