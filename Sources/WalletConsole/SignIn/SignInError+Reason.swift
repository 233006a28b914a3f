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
