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

extension SignInError: CustomStringConvertible {
    /// The reason in a sentence, which may be shown and logged.
    public var reason: String {
        switch self {
        case .invalidConfiguration(let reason): reason
        case .returnPath: "The return address is not a page of this site."
        case .issuerUnavailable: "The issuer is unreachable or sent an unexpected response. Try again."
        case .answerTooLarge: "A response of the issuer is too large."
        case .answerUnreadable: "A response of the issuer has an invalid format."
        case .anotherIssuer: "The response names an issuer other than the configured one."
        case .issuerUnsuitable: "The issuer does not support PKCE with S256, or one of its addresses is not https."
        case .state: "The response does not belong to the sign-in started in this browser. Sign in again."
        case .tooLate: "The sign-in took longer than ten minutes. Sign in again."
        case .declined: "The sign-in was declined."
        case .authorizationRefused: "The issuer refused the sign-in."
        case .codeRefused: "The issuer rejected the code of this sign-in. Sign in again."
        case .clientRefused: "The issuer rejected this service's client id or secret."
        case .exchangeRefused: "The issuer refused to complete the sign-in."
        case .idToken(let flaw): flaw.reason
        case .noAuthenticationTime:
            "The issuer's ID token has no auth_time, so your new sign-in cannot be verified, and you cannot move money. "
                + "Ask the console's administrator to configure the issuer to send it."
        case .responseIssuer: "The response is from another issuer. Sign in again."
        case .notAuthenticatedAgain: "The issuer did not confirm a new sign-in. Sign in again."
        }
    }

    /// The same as the reason.
    public var description: String { self.reason }
}

extension SignInError.Flaw {
    var reason: String {
        switch self {
        case .malformed: "The issuer's ID token is malformed."
        case .algorithm: "The issuer's ID token is not signed with RS256 or ES256."
        case .unknownKey: "The issuer's ID token names a key that the issuer does not publish."
        case .signature: "The signature of the issuer's ID token is invalid."
        case .issuer: "The ID token is from another issuer."
        case .audience: "The issuer's ID token is for another client."
        case .authorizedParty: "The issuer's ID token was issued to another client."
        case .expired: "The issuer's ID token has expired."
        case .future: "The issuer's ID token is dated in the future. Compare the clocks of the issuer and this service."
        case .nonce: "The issuer's ID token is for another sign-in. Sign in again."
        case .subject: "The issuer's ID token has no valid subject."
        }
    }
}
