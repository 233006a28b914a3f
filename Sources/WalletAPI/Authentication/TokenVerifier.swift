public import AsyncHTTPClient
public import Foundation
import JOSE
import JSON
public import Logging
import Stores
public import Wallet

/// Verifies bearer tokens and returns the user or operator that they identify.
///
/// The verifier accepts a token if its issuer is configured, one of the issuer's keys signed it with the algorithm that
/// the key is pinned to, its audience matches, and the current time is within its time range. The issuer's configured
/// purpose alone decides whether a token is an operator's. The token's claims grant rights if the issuer's
/// configuration maps them.
public struct TokenVerifier: Sendable {
    private let issuers: [ExactText: TokenIssuer]
    private let configuration: AuthenticationConfiguration
    private let now: @Sendable () -> Date
    private let cache: TokenCache

    /// Creates a verifier; key sets are fetched when they are first needed.
    ///
    /// - Parameters:
    ///   - configuration: The accepted issuers.
    ///   - httpClient: The client that fetches key sets.
    ///   - logger: The logger for key sets that cannot be fetched.
    ///   - now: A closure that returns the current time.
    /// - Throws: ``WalletAPIError/Code/invalidConfiguration`` with the reason.
    public init(
        configuration: AuthenticationConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try IssuerConfiguration.validate(configuration.issuers)
        var issuers: [ExactText: TokenIssuer] = [:]
        for issuer in configuration.issuers {
            issuers[ExactText(issuer.issuer)] = try TokenIssuer(
                issuer,
                keySets: configuration.keySets,
                client: httpClient,
                logger: logger,
                now: now
            )
        }
        self.issuers = issuers
        self.configuration = configuration
        self.now = now
        self.cache = TokenCache(limit: configuration.cachedTokens)
    }

    /// A Boolean value that indicates whether profiles in the claims of users' tokens are stored.
    var storesProfiles: Bool { self.configuration.profileClaims != nil }

    /// Returns the user that a token identifies.
    ///
    /// - Parameter token: The bearer token.
    /// - Returns: The user, whose id is the issuer's prefix followed by the token's subject, and the claims that the
    ///   wallet uses.
    /// - Throws: ``WalletAPIError/Code/unauthenticated``, or ``WalletAPIError/Code/keysUnavailable`` if the issuer's
    ///   keys cannot be fetched.
    func bearer(of token: String) async throws(WalletAPIError) -> Bearer {
        let digest = TokenCache.Digest(token)
        if let known = self.cache.entry(digest), try await self.stillHolds(known.source) {
            return try self.bearer(known)
        }
        let (token, issuer, key) = try await self.verify(token, for: .users)
        try token.claims.checkUserRole()
        let user = UserID(rawValue: issuer.prefix + (try token.claims.checkedSubject()))
        try self.refuseBorrowedPrefix(user, of: issuer)
        let entry = TokenCache.Entry(
            user: user,
            source: self.cache.source(issuer: token.claims.issuer, header: token.header, key: key.identity),
            expiresAt: token.claims.expiresAt,
            notBefore: token.claims.notBefore ?? .nan,
            issuedAt: token.claims.issuedAt ?? .nan,
            isAnonymous: token.claims.isAnonymous,
            profile: try self.configuration.profileClaims?.profile(in: token.allClaims()).map(TokenProfile.init)
        )
        self.cache.remember(entry, digest)
        return try self.bearer(entry)
    }

    /// Returns whether the issuer still uses the key that verified the token.
    ///
    /// A withdrawn or reloaded key requires a new verification.
    private func stillHolds(_ source: TokenCache.Source) async throws(WalletAPIError) -> Bool {
        guard let issuer = self.issuers[source.issuer] else { return false }
        return try await issuer.key(for: source.header).identity == source.key
    }

    private func bearer(_ known: TokenCache.Entry) throws(WalletAPIError) -> Bearer {
        let now = self.now().timeIntervalSince1970
        let lifetime = TokenLifetime(
            expiresAt: known.expiresAt,
            notBefore: known.notBefore.isNaN ? nil : known.notBefore,
            issuedAt: known.issuedAt.isNaN ? nil : known.issuedAt
        )
        try lifetime.check(now: now, leeway: self.configuration.leeway)
        return Bearer(
            user: known.user,
            issuer: known.source.issuer,
            issuedAt: known.issuedAt.isNaN ? nil : Date(timeIntervalSince1970: known.issuedAt),
            isAnonymous: known.isAnonymous,
            account: known.account,
            profile: known.profile,
            remaining: lifetime.remaining(now: now, leeway: self.configuration.leeway)
        )
    }

    /// Returns the operator that a token identifies.
    ///
    /// - Parameter token: The bearer token.
    /// - Returns: The token's subject, which is recorded as the actor of changes, and the operator's right; nil if the
    ///   token's claims grant no right.
    /// - Throws: ``WalletAPIError/Code/unauthenticated``, or ``WalletAPIError/Code/keysUnavailable`` if the issuer's
    ///   keys cannot be fetched.
    public func actor(of token: String) async throws(WalletAPIError) -> (id: UserID, right: OperatorRight?) {
        let (token, issuer, _) = try await self.verify(token, for: .operators)
        try token.claims.checkLifetime(atMost: self.configuration.operatorTokenLifetime)
        let id = UserID(rawValue: issuer.prefix + (try token.claims.checkedSubject()))
        guard let rights = issuer.rights else { return (id, .admin) }
        return (id, rights.right(in: try token.allClaims()))
    }

    private func verify(
        _ token: String,
        for purpose: IssuerConfiguration.Purpose
    ) async throws(WalletAPIError) -> (CompactToken, IssuerConfiguration, VerificationKey) {
        let token = try CompactToken(token)
        guard let issuer = self.issuers[token.claims.issuer], issuer.configuration.purpose == purpose else {
            throw .refused("The token's issuer is not accepted here.")
        }
        let key = try await issuer.key(for: token.header)
        guard key.signed(token.jws) else { throw .refused("The token's signature is not valid.") }
        try token.claims.lifetime.check(now: self.now().timeIntervalSince1970, leeway: self.configuration.leeway)
        try token.claims.checkAudience(issuer.configuration.audiences)
        return (token, issuer.configuration, key)
    }

    /// Refuses a user id that begins with another issuer's prefix because of its subject.
    ///
    /// For a UUID, the comparison uses the lower-case prefix.
    private func refuseBorrowedPrefix(_ user: UserID, of issuer: IssuerConfiguration) throws(WalletAPIError) {
        let own = issuer.prefix.utf8.count
        for other in self.configuration.issuers where other.purpose == .users {
            guard ExactText(other.issuer) != ExactText(issuer.issuer), other.prefix.utf8.count >= own else { continue }
            let prefix = user.isUUID ? other.prefix.lowercased() : other.prefix
            guard !prefix.isEmpty, user.rawValue.utf8.starts(with: prefix.utf8) else { continue }
            throw .refused("The token's subject is not valid.")
        }
    }
}

/// The user that a verified bearer token identifies, with the claims that the wallet uses.
struct Bearer: Sendable {
    let user: UserID
    let issuer: ExactText
    let issuedAt: Date?
    let isAnonymous: Bool
    let account: AdmittedAccount
    /// The profile in the token's claims; nil if it is not configured or the token has none.
    let profile: TokenProfile?
    /// The remaining time in which the token is accepted, counted from its verification.
    let remaining: Duration

    /// The user in the form that the wallet's functions take.
    var caller: Caller {
        Caller(self.user, issuedAt: self.issuedAt, isAnonymous: self.isAnonymous, account: self.account)
    }
}

/// An accepted issuer and its keys.
struct TokenIssuer: Sendable {
    let configuration: IssuerConfiguration
    private let secret: VerificationKey?
    private let published: JWKSCache?

    init(
        _ configuration: IssuerConfiguration,
        keySets: KeySetConfiguration,
        client: HTTPClient,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) throws {
        self.configuration = configuration
        if let secret = configuration.sharedSecret {
            self.secret = VerificationKey(secret: secret)
        } else {
            self.secret = nil
        }
        if let url = configuration.jwksURL {
            let source = try KeySetSource(url: url, configuration: keySets, client: client, logger: logger)
            self.published = JWKSCache(source: source, now: now)
        } else {
            self.published = nil
        }
    }

    /// Returns the key that must have signed a token.
    ///
    /// HS256 always uses the shared secret, so a public key is never used as an HMAC secret.
    func key(for header: JOSEHeader) async throws(WalletAPIError) -> VerificationKey {
        let algorithm = try header.pinnedAlgorithm()
        if algorithm == .hs256 {
            guard let secret = self.secret else { throw .refused("The issuer does not sign with HS256.") }
            return secret
        }
        guard let published = self.published else { throw .refused("The issuer does not sign with published keys.") }
        guard let keyID = header.keyID, (1...256).contains(keyID.text.utf8.count) else {
            throw .refused("The token has no key id.")
        }
        return try await published.key(keyID, algorithm: algorithm)
    }
}
