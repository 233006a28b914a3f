public import AsyncHTTPClient
import Foundation
public import Logging

/// Signs operators in at an OpenID Connect issuer: authorization code with PKCE, `state` and `nonce`.
///
/// The client discovers the issuer's metadata and keys, and caches them for ten minutes. It stores nothing about a
/// sign-in; the caller stores a ``PendingSignIn``. See OpenID Connect Core 1.0, RFC 7636 and RFC 9207.
public struct OpenIDClient: Sendable {
    /// The number of seconds for which metadata and keys are cached.
    static let publishedLifetime = 600.0
    /// The minimum number of seconds between two fetches of the keys because of an unknown key.
    static let unknownKeyInterval = 30.0
    /// The number of seconds before a failed fetch is repeated.
    static let failurePause = 2.0

    let configuration: OpenIDConfiguration
    let requests: IssuerRequests
    private let metadata: PublishedCache<IssuerMetadata>
    private let keys: PublishedCache<SigningKeys>

    /// Creates a client, which contacts the issuer at the first sign-in.
    ///
    /// - Parameters:
    ///   - configuration: The issuer, and this service's registration there.
    ///   - httpClient: The client for requests to the issuer. It should not follow redirects: the sign-in refuses a
    ///     redirected response, but only such a client avoids the redirected request.
    ///   - logger: The logger for failed requests to the issuer.
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` with the reason.
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
                logger.warning(
                    "the issuer does not list the claim auth_time; without it, operators cannot change balances and prices"
                )
            }
            return metadata
        }
        self.keys = PublishedCache { url throws(SignInError) in
            try await SigningKeys(json: try await requests.get(url), logger: logger)
        }
    }

    /// Returns the issuer's metadata.
    func metadata(at now: Date) async throws(SignInError) -> IssuerMetadata {
        try await self.metadata.value(
            of: self.configuration.discoveryURL,
            at: now,
            maximumAge: Self.publishedLifetime,
            pause: Self.failurePause
        )
    }

    /// Returns the key that a token's header names; fetches the keys again if the key is unknown.
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
