/// Why a sign-in did not begin or did not succeed.
///
/// Neither a case nor its reason holds a code, a token, a verifier, a secret or anything that the issuer or the browser
/// wrote, so that both may be logged and shown.
public enum SignInError: Error, Sendable, Equatable {
    /// The configuration contradicts itself or lacks something; the process should not start.
    case invalidConfiguration(String)
    /// The path to lead back to is none of this site.
    case returnPath
    /// The issuer did not answer, not in time, or not with what was asked for.
    case issuerUnavailable
    /// An answer of the issuer is longer than what is read.
    case answerTooLarge
    /// An answer of the issuer is not of the form that OpenID Connect gives it.
    case answerUnreadable
    /// Another issuer answered than the configured one.
    case anotherIssuer
    /// The issuer lacks what is needed: PKCE with S256, or addresses that secrets may be sent to.
    case issuerUnsuitable
    /// The answer is not for the sign-in that this browser began.
    case state
    /// The sign-in was begun more than ten minutes ago.
    case tooLate
    /// The operator, or the issuer for them, declined.
    case declined
    /// The issuer refused to begin, for another reason.
    case authorizationRefused
    /// The issuer does not accept the code: it was used before, has expired, or is for another sign-in.
    case codeRefused
    /// The issuer does not accept this service's client id or secret.
    case clientRefused
    /// The issuer refused the exchange of the code, for another reason.
    case exchangeRefused
    /// The ID token must not be believed.
    case idToken(Flaw)
    /// The operator was to prove again who it is, and the issuer does not say that this happened.
    case notAuthenticatedAgain

    /// The operator was to prove again who they are, and the issuer's ID token does not say when they did (`auth_time`).
    case noAuthenticationTime
    /// The answer names another issuer than the one that was asked, or none although the issuer names itself (RFC 9207).
    case responseIssuer

    /// What is wrong with an ID token.
    public enum Flaw: Sendable, Hashable, CaseIterable {
        /// It is none, or lacks a claim that each has.
        case malformed
        /// It is signed by another algorithm than RS256 and ES256, or by none.
        case algorithm
        /// The issuer publishes no such key.
        case unknownKey
        /// The signature is not that of the key.
        case signature
        /// It is another issuer's.
        case issuer
        /// It is for another client.
        case audience
        /// It was made for another client, which hands it on.
        case authorizedParty
        /// It has expired.
        case expired
        /// It was issued, or counts, or its operator signed in, in the future.
        case future
        /// It is for another sign-in.
        case nonce
        /// Its subject can name nobody.
        case subject
    }

    /// Reads the `error` that an issuer sends a browser back with instead of a code.
    ///
    /// - Parameter error: The parameter's value; it is in no reason.
    public init(authorizationError error: String) {
        self = error == "access_denied" ? .declined : .authorizationRefused
    }
}
