extension SignInError: CustomStringConvertible {
    /// The reason in a sentence, which may be shown and logged.
    public var reason: String {
        switch self {
        case .invalidConfiguration(let reason): reason
        case .returnPath: "The page to lead back to is not one of this site."
        case .issuerUnavailable: "The issuer cannot be reached, or did not answer as it should. Try again."
        case .answerTooLarge: "An answer of the issuer is too long."
        case .answerUnreadable: "An answer of the issuer cannot be read."
        case .anotherIssuer: "Another issuer answered than the configured one."
        case .issuerUnsuitable: "The issuer lacks PKCE with S256, or one of its addresses is not https."
        case .state: "The answer does not belong to the sign-in that was begun here. Begin again."
        case .tooLate: "The sign-in took longer than ten minutes. Begin again."
        case .declined: "The sign-in was declined."
        case .authorizationRefused: "The issuer refused the sign-in."
        case .codeRefused: "The issuer does not accept the sign-in's code. Begin again."
        case .clientRefused: "The issuer does not accept this service's client id or secret."
        case .exchangeRefused: "The issuer refused to finish the sign-in."
        case .idToken(let flaw): flaw.reason
        case .noAuthenticationTime:
            "The issuer's ID token has no auth_time, so nothing proves that you signed in again, and no money can be "
                + "moved here. Ask those who run the console to have the issuer send it."
        case .responseIssuer: "The answer is another issuer's. Begin again."
        case .notAuthenticatedAgain: "The issuer does not say that you signed in again. Begin again."
        }
    }

    /// The same as the reason.
    public var description: String { self.reason }
}

extension SignInError.Flaw {
    var reason: String {
        switch self {
        case .malformed: "The issuer's ID token is malformed."
        case .algorithm: "The issuer's ID token is not signed by RS256 or ES256."
        case .unknownKey: "The issuer's ID token names a key that the issuer does not publish."
        case .signature: "The signature of the issuer's ID token is not valid."
        case .issuer: "The ID token is from another issuer."
        case .audience: "The issuer's ID token is for another client."
        case .authorizedParty: "The issuer's ID token was made for another client."
        case .expired: "The issuer's ID token has expired."
        case .future: "The issuer's ID token is of the future: compare the clocks."
        case .nonce: "The issuer's ID token is for another sign-in. Begin again."
        case .subject: "The issuer's ID token names nobody."
        }
    }
}
