import CryptoExtras
import Foundation
import JOSE
import Logging
import NIOHTTP1
import Synchronization

/// Caches the access token for Google Play and fetches a new one before it expires.
///
/// Concurrent callers without a valid token share one request for it.
final class GooglePlayAccess: Sendable {
    /// The time before expiry in which a token is no longer used, since it could expire in transit.
    private static let margin: Duration = .seconds(60)

    private struct Token {
        let text: String
        let until: ContinuousClock.Instant
    }

    private let configuration: GooglePlayConfiguration
    private let host: StoreHost
    private let wallClock: @Sendable () -> Date
    private let flights = SingleFlight<String>()
    private let kept = Mutex<Token?>(nil)

    init(configuration: GooglePlayConfiguration, host: StoreHost, wallClock: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.host = host
        self.wallClock = wallClock
    }

    /// Returns a valid access token, from the cache if possible.
    /// - Returns: The token.
    /// - Throws: ``StoreError``: `misconfigured` if Google refuses the service account or its key, `unavailable`.
    func token() async throws(StoreError) -> String {
        let now = self.host.monotonicClock()
        if let token = self.kept.withLock({ $0 }), now < token.until { return token.text }
        let outcome = await self.flights.run("token") {
            do throws(StoreError) {
                return .success(try await self.fetch())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Removes a token that the store refused from the cache, unless a newer one has replaced it.
    func forget(_ token: String) {
        self.kept.withLock { kept in
            if kept?.text == token { kept = nil }
        }
    }

    private func fetch() async throws(StoreError) -> String {
        let askedAt = self.host.monotonicClock()
        let assertion = try GooglePlayAssertion(self.configuration).signed(at: self.wallClock())
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let request = StoreCall.Request(
            method: .POST,
            url: self.configuration.tokenURL,
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Data(form.utf8),
            operation: .playToken
        )
        return try self.read(try await self.host.answer(to: request), askedAt: askedAt)
    }

    private func read(_ answer: StoreHost.Answer, askedAt: ContinuousClock.Instant) throws(StoreError) -> String {
        switch answer.status {
        case 200: break
        case 400, 401, 403:
            let status: Logger.Metadata = ["status": "\(answer.status)"]
            self.host.logger.error("Google rejected our service account", metadata: status)
            throw StoreError(.misconfigured, storeStatus: answer.status)
        default: throw self.unavailable(answer)
        }
        guard
            let document = try? StoreDocument(parsing: answer.body),
            let token = try? document.text("access_token", atMost: 8_192),
            let seconds = try? document.integer("expires_in"), (1...86_400).contains(seconds)
        else { throw self.unavailable(answer) }
        let until = askedAt.advanced(by: .seconds(seconds) - Self.margin)
        self.kept.withLock { $0 = Token(text: token, until: until) }
        return token
    }

    private func unavailable(_ answer: StoreHost.Answer) -> StoreError {
        let seconds = answer.retryAfter ?? self.host.limits.retryAfter
        return StoreError(.unavailable, storeStatus: answer.status, retryAfter: seconds)
    }
}

/// The assertion that a service account exchanges for an access token: a JWT signed with its RSA key.
private struct GooglePlayAssertion {
    private static let lifetime: TimeInterval = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"

    private struct Claims: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int
    }

    private let email: String
    private let audience: String
    private let key: SigningKey

    /// Reads the account's key.
    /// - Parameter configuration: The service account and the token endpoint, which is the assertion's audience.
    /// - Throws: ``StoreError`` `misconfigured` if the key cannot be read or the account's address is empty.
    init(_ configuration: GooglePlayConfiguration) throws(StoreError) {
        guard
            !configuration.serviceAccountEmail.isEmpty,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: configuration.privateKeyPEM)
        else { throw StoreError(.misconfigured) }
        self.email = configuration.serviceAccountEmail
        self.audience = configuration.tokenURL
        self.key = SigningKey(rsa: key)
    }

    /// Returns a signed assertion that is valid for an hour.
    func signed(at now: Date) throws(StoreError) -> String {
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let claims = Claims(
            iss: self.email,
            scope: Self.scope,
            aud: self.audience,
            iat: Int(issuedAt),
            exp: Int(issuedAt + Self.lifetime)
        )
        do {
            return try self.key.token(claims)
        } catch {
            throw StoreError(.misconfigured)
        }
    }
}
