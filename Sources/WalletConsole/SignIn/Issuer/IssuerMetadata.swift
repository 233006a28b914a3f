import Foundation

/// What an issuer says of itself (OpenID Connect Discovery, RFC 8414), as far as it is needed.
struct IssuerMetadata: Sendable {
    let authorizationURL: String
    let tokenURL: String
    let keysURL: String
    let endSessionURL: String?
    /// Whether the client's secret goes into the `Authorization` field, as it does where nothing is said.
    let takesBasic: Bool
    /// Whether the issuer names itself to the browser that it sends back (RFC 9207).
    let sendsIssuer: Bool
    /// Whether the issuer lists its claims and `auth_time` is not among them.
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

    /// Reads the document and refuses another issuer's.
    ///
    /// An issuer that says nothing of PKCE is asked with it all the same: some know it and do not say so.
    init(json: Data, _ configuration: OpenIDConfiguration) throws(SignInError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: json)
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
