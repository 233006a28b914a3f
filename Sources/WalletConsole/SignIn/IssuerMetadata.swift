import Foundation
import JSON

/// The part of an issuer's metadata that the client uses (OpenID Connect Discovery, RFC 8414).
struct IssuerMetadata: Sendable {
    let authorizationURL: String
    let tokenURL: String
    let keysURL: String
    let endSessionURL: String?
    /// A Boolean value that indicates whether the client sends its secret in the `Authorization` field, which is the
    /// default.
    let takesBasic: Bool
    /// A Boolean value that indicates whether the issuer adds `iss` to the browser's return (RFC 9207).
    let sendsIssuer: Bool
    /// A Boolean value that indicates whether the issuer lists its claims without `auth_time`.
    let lacksAuthenticationTime: Bool

    private struct Document: Decodable {
        let issuer: String
        let authorizationURL: String
        let tokenURL: String
        let keysURL: String
        let endSessionURL: String?
        let clientAuthentication: [String]?
        let challengeMethods: [String]?
        let sendsIssuer: Bool?
        let claims: [String]?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationURL = "authorization_endpoint"
            case tokenURL = "token_endpoint"
            case keysURL = "jwks_uri"
            case endSessionURL = "end_session_endpoint"
            case clientAuthentication = "token_endpoint_auth_methods_supported"
            case challengeMethods = "code_challenge_methods_supported"
            case sendsIssuer = "authorization_response_iss_parameter_supported"
            case claims = "claims_supported"
        }
    }

    /// Parses the document and refuses one that names another issuer.
    ///
    /// If the document does not mention PKCE, the client uses it nevertheless, because some issuers support it without
    /// listing it.
    init(json: Data, _ configuration: OpenIDConfiguration) throws(SignInError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, external: json)
        } catch {
            throw .answerUnreadable
        }
        guard RandomText.isSame(document.issuer, configuration.issuer) else { throw .anotherIssuer }
        let addresses = [document.authorizationURL, document.tokenURL, document.keysURL]
        guard addresses.allSatisfy(configuration.isAcceptable) else { throw .issuerUnsuitable }
        guard document.challengeMethods?.contains("S256") != false else { throw .issuerUnsuitable }
        self.authorizationURL = document.authorizationURL
        self.tokenURL = document.tokenURL
        self.keysURL = document.keysURL
        self.endSessionURL = document.endSessionURL.flatMap { configuration.isAcceptable($0) ? $0 : nil }
        self.takesBasic = document.clientAuthentication?.contains("client_secret_basic") ?? true
        self.sendsIssuer = document.sendsIssuer ?? false
        self.lacksAuthenticationTime = document.claims?.contains("auth_time") == false
    }
}

/// Caches a document that an issuer publishes.
///
/// Concurrent callers share one fetch. An expired document is never used, even if a new fetch fails, because a sign-in
/// needs the issuer anyway. A failed fetch is not repeated for a while, because any visitor can begin a sign-in.
actor PublishedCache<Value: Sendable> {
    private struct Kept {
        let url: String
        let outcome: Result<Value, SignInError>
        let at: Date
    }

    private let fetch: @Sendable (String) async throws(SignInError) -> Value
    private var value: Kept?
    private var failure: Kept?
    private var running: (url: String, task: Task<Result<Value, SignInError>, Never>)?

    init(fetch: @escaping @Sendable (String) async throws(SignInError) -> Value) {
        self.fetch = fetch
    }

    /// Returns the document from the cache or from a fetch.
    ///
    /// - Parameters:
    ///   - url: The document's address.
    ///   - now: The current time.
    ///   - maximumAge: The maximum age of a cached document in seconds.
    ///   - pause: The number of seconds for which a failure is returned without another fetch.
    /// - Returns: The cached or fetched document.
    /// - Throws: The error of the fetch.
    func value(
        of url: String,
        at now: Date,
        maximumAge: Double,
        pause: Double
    ) async throws(SignInError) -> Value {
        for (kept, age) in [(self.value, maximumAge), (self.failure, pause)] {
            if let kept, kept.url == url, (0..<age).contains(now.timeIntervalSince(kept.at)) {
                return try kept.outcome.get()
            }
        }
        if let running, running.url == url { return try await running.task.value.get() }
        let task = Task { await self.fetchOnce(url, at: now) }
        self.running = (url, task)
        return try await task.value.get()
    }

    private func fetchOnce(_ url: String, at now: Date) async -> Result<Value, SignInError> {
        let outcome: Result<Value, SignInError>
        do throws(SignInError) {
            outcome = .success(try await self.fetch(url))
            self.value = Kept(url: url, outcome: outcome, at: now)
            self.failure = nil
        } catch {
            outcome = .failure(error)
            self.failure = Kept(url: url, outcome: outcome, at: now)
        }
        self.running = nil
        return outcome
    }
}
