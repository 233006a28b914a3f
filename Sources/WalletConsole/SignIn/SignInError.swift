/// An error that explains why a sign-in did not begin or did not succeed.
///
/// Neither a case nor its reason contains a code, token, verifier, secret or text from the issuer or browser. Therefore
/// both may be logged and shown.
public enum SignInError: Error, Sendable, Equatable {
    /// The configuration contradicts itself or is incomplete; the process should not start.
    case invalidConfiguration(String)
    /// The return path is not a path of this site.
    case returnPath
    /// The issuer did not respond, not in time, or not with the expected status.
    case issuerUnavailable
    /// A response of the issuer exceeds the maximum size.
    case answerTooLarge
    /// A response of the issuer does not have the format of OpenID Connect.
    case answerUnreadable
    /// The response names another issuer than the configured one.
    case anotherIssuer
    /// The issuer does not support PKCE with S256, or its addresses are not suitable for secrets.
    case issuerUnsuitable
    /// The response does not belong to the sign-in that this browser began.
    case state
    /// The sign-in began more than ten minutes ago.
    case tooLate
    /// The operator or the issuer declined the sign-in.
    case declined
    /// The issuer refused the authorization for another reason.
    case authorizationRefused
    /// The issuer does not accept the code: it was used before, has expired, or is for another sign-in.
    case codeRefused
    /// The issuer does not accept this service's client id or secret.
    case clientRefused
    /// The issuer refused to exchange the code for another reason.
    case exchangeRefused
    /// The ID token is not valid.
    case idToken(Flaw)
    /// The operator had to authenticate again, but the reported authentication is older than this sign-in.
    case notAuthenticatedAgain

    /// The operator had to authenticate again, but the ID token does not contain the time of the authentication
    /// (`auth_time`).
    case noAuthenticationTime
    /// The response names another issuer, or names none although the issuer supports the parameter `iss` (RFC 9207).
    case responseIssuer

    /// The flaw of an ID token.
    public enum Flaw: Sendable, Hashable, CaseIterable {
        /// The text is not a token, or a required claim is missing.
        case malformed
        /// The token is unsigned or signed with another algorithm than RS256 and ES256.
        case algorithm
        /// The issuer does not publish the key that the token names.
        case unknownKey
        /// The signature does not match the key.
        case signature
        /// The token is from another issuer.
        case issuer
        /// The token is for another client.
        case audience
        /// The token was issued to another client, which passed it on.
        case authorizedParty
        /// The token has expired.
        case expired
        /// The token's issue time, start of validity or authentication time is in the future.
        case future
        /// The token is for another sign-in.
        case nonce
        /// The token's subject cannot identify an operator.
        case subject
    }

    /// Creates an error from the parameter `error` of the browser's return.
    ///
    /// - Parameter error: The parameter's value; the error's reason never contains it.
    public init(authorizationError error: String) {
        self = error == "access_denied" ? .declined : .authorizationRefused
    }
}
