import Crypto
public import Foundation

extension OpenIDClient {
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

    /// Returns the address where an operator can also sign out at the issuer (RP-initiated logout).
    ///
    /// The client does not store the ID token, so the request contains no `id_token_hint`, and the issuer may ask the
    /// operator to confirm.
    ///
    /// - Parameters:
    ///   - returnURL: The registered address to which the issuer sends the browser afterwards; nil for none.
    ///   - now: The current time.
    /// - Returns: The address to redirect the browser to; nil if the issuer has no sign-out page.
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` if the address is not https, or the reason why the issuer
    ///   cannot be used.
    public func endSessionURL(returnURL: String? = nil, now: Date = Date()) async throws(SignInError) -> String? {
        guard let address = try await self.metadata(at: now).endSessionURL else { return nil }
        var parameters = [(name: "client_id", value: self.configuration.clientID)]
        if let returnURL {
            guard self.configuration.isAcceptable(returnURL) else {
                throw .invalidConfiguration("The address after signing out must be an https address.")
            }
            parameters.append((name: "post_logout_redirect_uri", value: returnURL))
        }
        return IssuerAddress.adding(parameters, to: address)
    }

    private static func challenge(of verifier: String) -> String {
        Base64URL.text(Data(SHA256.hash(data: Data(verifier.utf8))))
    }
}
