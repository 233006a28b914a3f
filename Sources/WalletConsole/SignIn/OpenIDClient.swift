public import AsyncHTTPClient
import Crypto
public import Foundation
import JOSE
import JSON
public import Logging

/// Signs operators in at an OpenID Connect issuer: authorization code with PKCE, `state` and `nonce`.
///
/// The client discovers the issuer's metadata and keys, and caches them for ten minutes. It stores nothing about a
/// sign-in; the caller stores a ``PendingSignIn``. See OpenID Connect Core 1.0, RFC 7636 and RFC 9207.
public struct OpenIDClient: Sendable {
    /// The number of seconds for which metadata and keys are cached.
    private static let publishedLifetime = 600.0
    /// The minimum number of seconds between two fetches of the keys because of an unknown key.
    private static let unknownKeyInterval = 30.0
    /// The number of seconds before a failed fetch is repeated.
    private static let failurePause = 2.0

    let configuration: OpenIDConfiguration
    private let requests: IssuerRequests
    private let metadata: PublishedCache<IssuerMetadata>
    private let keys: PublishedCache<KeySet>

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
            try Self.keys(json: try await requests.get(url), logger: logger)
        }
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - returnTo: The page to return to: a path of this site, see ``PendingSignIn/isOwnPath(_:)``.
    ///   - again: A Boolean value that indicates whether the operator must authenticate again, even with a session at
    ///     the issuer.
    ///   - maximumAge: The maximum age in seconds of the operator's last authentication at the issuer. An issuer that
    ///     receives this parameter must report the time of the authentication (`auth_time`).
    ///   - now: The current time.
    /// - Returns: The address to redirect the browser to, and the state to store until the browser returns.
    /// - Throws: ``SignInError/returnPath``, or the reason why the issuer cannot be used.
    public func authorization(
        returnTo: String,
        again: Bool = false,
        maximumAge: Double = 43_200,
        now: Date = Date()
    ) async throws(SignInError) -> (url: String, pending: PendingSignIn) {
        let pending = try PendingSignIn(returnTo: returnTo, again: again, at: now)
        let metadata = try await self.metadata(at: now)
        var parameters = [
            (name: "response_type", value: "code"),
            (name: "client_id", value: self.configuration.clientID),
            (name: "redirect_uri", value: self.configuration.redirectURL),
            (name: "scope", value: self.configuration.scopes),
            (name: "state", value: pending.state),
            (name: "nonce", value: pending.nonce),
            (name: "code_challenge", value: Self.challenge(of: pending.codeVerifier)),
            (name: "code_challenge_method", value: "S256"),
        ]
        // Some issuers support only one of the two parameters; both request a new authentication.
        if again { parameters.append((name: "prompt", value: "login")) }
        parameters.append((name: "max_age", value: again ? "0" : String(Int(maximumAge))))
        return (IssuerAddress.adding(parameters, to: metadata.authorizationURL), pending)
    }

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
    }

    /// Completes a sign-in with the parameters of the browser's return.
    ///
    /// - Parameters:
    ///   - code: The parameter `code` of the browser's return.
    ///   - state: The parameter `state`.
    ///   - issuer: The parameter `iss`, if there is one; it is required from issuers that support it.
    ///   - pending: The stored state of this browser's sign-in.
    ///   - now: The current time.
    /// - Returns: The identity of the operator.
    /// - Throws: The reason of the failure.
    public func identity(
        code: String,
        state: String,
        issuer: String? = nil,
        pending: PendingSignIn,
        now: Date = Date()
    ) async throws(SignInError) -> OpenIDIdentity {
        try self.check(pending, state: state, at: now)
        let metadata = try await self.metadata(at: now)
        try self.check(issuer, of: metadata)
        let token = try IDToken(try await self.exchange(code, pending, metadata))
        let key = try await self.key(for: token, of: metadata, at: now)
        guard key.signed(token.jws) else { throw .idToken(.signature) }
        return try token.identity(for: pending, self.configuration, at: now)
    }

    /// Refuses a response to another browser's sign-in, and a response that arrives too late.
    private func check(_ pending: PendingSignIn, state: String, at now: Date) throws(SignInError) {
        guard RandomText.isSame(state, pending.state) else { throw .state }
        let age = now.timeIntervalSince(pending.createdAt)
        guard age >= -self.configuration.leeway, age <= PendingSignIn.lifetime else { throw .tooLate }
    }

    /// Refuses a code from another issuer before the client sends it to this issuer (RFC 9207).
    private func check(_ issuer: String?, of metadata: IssuerMetadata) throws(SignInError) {
        guard let issuer else {
            if metadata.sendsIssuer { throw .responseIssuer }
            return
        }
        guard RandomText.isSame(issuer, self.configuration.issuer) else { throw .responseIssuer }
    }

    /// Exchanges the code for an ID token.
    private func exchange(
        _ code: String,
        _ pending: PendingSignIn,
        _ metadata: IssuerMetadata
    ) async throws(SignInError) -> String {
        guard !code.isEmpty else { throw .codeRefused }
        var form = [
            (name: "grant_type", value: "authorization_code"),
            (name: "code", value: code),
            (name: "redirect_uri", value: self.configuration.redirectURL),
            (name: "code_verifier", value: pending.codeVerifier),
        ]
        var authorization: String?
        if let secret = self.configuration.clientSecret, metadata.takesBasic {
            authorization = Self.basic(self.configuration.clientID, secret)
        } else {
            form.append((name: "client_id", value: self.configuration.clientID))
            if let secret = self.configuration.clientSecret { form.append((name: "client_secret", value: secret)) }
        }
        let (status, body) = try await self.requests.post(metadata.tokenURL, form, authorization: authorization)
        guard status == 200 else { throw TokenAnswer.refusal(status: status, json: body) }
        return try TokenAnswer.idToken(json: body)
    }

    /// Returns the Basic credentials of RFC 6749 (2.3.1): id and secret are escaped, joined and base64-encoded.
    private static func basic(_ id: String, _ secret: String) -> String {
        let pair = "\(WebAddress.escaped(id)):\(WebAddress.escaped(secret))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    /// Returns the error for an issuer's refusal, which returns the browser with an `error` instead of a code.
    ///
    /// - Parameters:
    ///   - code: The parameter `error` of the browser's return.
    ///   - state: The parameter `state`.
    ///   - pending: The stored state of this browser's sign-in.
    ///   - now: The current time.
    /// - Returns: ``SignInError/state`` or ``SignInError/tooLate`` if the response does not belong to this sign-in;
    ///   otherwise ``SignInError/declined`` or ``SignInError/authorizationRefused``.
    public func refusal(
        error code: String,
        state: String,
        pending: PendingSignIn,
        now: Date = Date()
    ) -> SignInError {
        do throws(SignInError) {
            try self.check(pending, state: state, at: now)
        } catch {
            return error
        }
        return SignInError(authorizationError: code)
    }

    /// Returns the address where an operator can also sign out at the issuer (RP-initiated logout).
    ///
    /// The client does not store the ID token, so the request contains no `id_token_hint`, and the issuer may ask the
    /// operator to confirm.
    ///
    /// - Returns: The address to redirect the browser to; nil if the issuer has no sign-out page.
    /// - Throws: ``SignInError`` with the reason why the issuer cannot be used.
    public func endSessionURL() async throws(SignInError) -> String? {
        guard let address = try await self.metadata(at: Date()).endSessionURL else { return nil }
        return IssuerAddress.adding([(name: "client_id", value: self.configuration.clientID)], to: address)
    }

    /// Returns the issuer's metadata.
    private func metadata(at now: Date) async throws(SignInError) -> IssuerMetadata {
        try await self.metadata.value(
            of: self.configuration.discoveryURL,
            at: now,
            maximumAge: Self.publishedLifetime,
            pause: Self.failurePause
        )
    }

    /// Returns the key that a token names; fetches the keys again if the key is unknown.
    private func key(
        for token: IDToken,
        of metadata: IssuerMetadata,
        at now: Date
    ) async throws(SignInError) -> VerificationKey {
        let known = try await self.keys.value(
            of: metadata.keysURL,
            at: now,
            maximumAge: Self.publishedLifetime,
            pause: Self.failurePause
        )
        if let key = try known.key(for: token) { return key }
        let newest = try await self.keys.value(
            of: metadata.keysURL,
            at: now,
            maximumAge: Self.unknownKeyInterval,
            pause: Self.unknownKeyInterval
        )
        guard let key = try newest.key(for: token) else { throw .idToken(.unknownKey) }
        return key
    }

    private static func keys(json: Data, logger: Logger) throws(SignInError) -> KeySet {
        guard let keys = try? KeySet(json: json) else { throw .answerUnreadable }
        for keyID in keys.invalidKeyIDs {
            logger.warning("ignored an unusable key of an issuer", metadata: ["kid": "\(keyID)"])
        }
        return keys
    }
}

extension KeySet {
    /// Returns the key that a token names; without `kid`, the only key of the token's algorithm.
    ///
    /// - Parameter token: The token.
    /// - Returns: The key; nil if the set does not contain it.
    /// - Throws: ``SignInError/Flaw/algorithm`` if the key is pinned to another algorithm than the token's.
    fileprivate func key(for token: IDToken) throws(SignInError) -> VerificationKey? {
        guard let keyID = token.keyID else { return self.onlyKey(for: token.algorithm) }
        let keys = self[keyID]
        if keys.isEmpty { return nil }
        guard let key = keys.first(where: { $0.algorithm == token.algorithm }) else { throw .idToken(.algorithm) }
        return key
    }
}

/// Parses the responses of a token endpoint (RFC 6749, OpenID Connect Core 3.1.3.3).
private enum TokenAnswer {
    private struct Tokens: Decodable {
        let type: String
        let idToken: String

        enum CodingKeys: String, CodingKey {
            case type = "token_type"
            case idToken = "id_token"
        }
    }

    private struct Refusal: Decodable {
        let error: String
    }

    /// Returns the ID token; the other tokens are not needed and not stored.
    static func idToken(json: Data) throws(SignInError) -> String {
        let tokens: Tokens
        do {
            tokens = try JSONDecoder().decode(Tokens.self, external: json)
        } catch {
            throw .answerUnreadable
        }
        guard tokens.type.lowercased() == "bearer" else { throw .answerUnreadable }
        return tokens.idToken
    }

    /// Returns the reason for a refused exchange, without any text from the issuer.
    static func refusal(status: Int, json: Data) -> SignInError {
        guard (400..<500).contains(status) else { return .issuerUnavailable }
        switch (try? JSONDecoder().decode(Refusal.self, external: json))?.error {
        case "invalid_grant": return .codeRefused
        case "invalid_client", "unauthorized_client": return .clientRefused
        default: return status == 401 ? .clientRefused : .exchangeRefused
        }
    }
}
