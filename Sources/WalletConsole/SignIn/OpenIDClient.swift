public import AsyncHTTPClient
import Foundation
public import Logging

/// Signs operators in at an OpenID Connect issuer: authorization code with PKCE, `state` and `nonce`.
///
/// What the issuer publishes about itself, and its keys, are found by discovery and kept for ten minutes. Nothing is kept
/// of a sign-in: the caller keeps a ``PendingSignIn`` for it. See OpenID Connect Core 1.0, RFC 7636 and RFC 9207.
public struct OpenIDClient: Sendable {
    /// For how many seconds what the issuer publishes is kept.
    static let publishedLifetime = 600.0
    /// How many seconds lie between two fetches of the keys at least, where a token names one that is not known.
    static let unknownKeyInterval = 30.0
    /// For how many seconds a fetch that failed is not repeated.
    static let failurePause = 2.0

    let configuration: OpenIDConfiguration
    let requests: IssuerRequests
    private let metadata: PublishedCache<IssuerMetadata>
    private let keys: PublishedCache<SigningKeys>

    /// Makes a client; the issuer is asked when first needed.
    ///
    /// - Parameters:
    ///   - configuration: The issuer and this service's place there.
    ///   - httpClient: What asks the issuer. It should follow no redirects: an answer that came by one is refused, but
    ///     only such a client does not ask at all.
    ///   - logger: Learns why an issuer could not be asked.
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` naming what is wrong.
    public init(
        _ configuration: OpenIDConfiguration,
        httpClient: HTTPClient,
        logger: Logger
    ) throws(SignInError) {
        try configuration.validate()
        let requests = IssuerRequests(
            client: httpClient,
            timeout: configuration.timeout,
            maximumBytes: configuration.maximumBytes,
            logger: logger
        )
        self.configuration = configuration
        self.requests = requests
        self.metadata = PublishedCache { url throws(SignInError) in
            let metadata = try IssuerMetadata(json: try await requests.get(url), configuration)
            if metadata.lacksAuthenticationTime {
                logger.warning("the issuer lists no auth_time among its claims: without it operators cannot move money")
            }
            return metadata
        }
        self.keys = PublishedCache { url throws(SignInError) in
            try await SigningKeys(json: try await requests.get(url), logger: logger)
        }
    }

    /// What the issuer says of itself.
    func metadata(at now: Date) async throws(SignInError) -> IssuerMetadata {
        try await self.metadata.value(
            of: self.configuration.discoveryURL,
            at: now,
            maximumAge: Self.publishedLifetime,
            pause: Self.failurePause
        )
    }

    /// The key that a token's header names; the keys are fetched again where it is not among those known.
    func key(
        for header: IDTokenHeader,
        of metadata: IssuerMetadata,
        at now: Date
    ) async throws(SignInError) -> SigningKey {
        let known = try await self.keys.value(
            of: metadata.keysURL,
            at: now,
            maximumAge: Self.publishedLifetime,
            pause: Self.failurePause
        )
        if let key = try known.key(for: header) { return key }
        let newest = try await self.keys.value(
            of: metadata.keysURL,
            at: now,
            maximumAge: Self.unknownKeyInterval,
            pause: Self.unknownKeyInterval
        )
        guard let key = try newest.key(for: header) else { throw .idToken(.unknownKey) }
        return key
    }
}
