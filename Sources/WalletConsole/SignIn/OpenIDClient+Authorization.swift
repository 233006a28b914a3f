import Crypto
public import Foundation

extension OpenIDClient {
    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - returnTo: The page to lead back to: a path of this site, see ``PendingSignIn/isOwnPath(_:)``.
    ///   - again: Whether the operator is to prove again who it is, even where the issuer remembers them.
    ///   - maximumAge: How many seconds ago the operator may have proved who they are, if the issuer remembers them. An
    ///     issuer that is asked for it must say when that was (`auth_time`).
    ///   - now: The present instant.
    /// - Returns: Where to send the browser, and what to keep until it comes back.
    /// - Throws: ``SignInError/returnPath``, or why the issuer cannot be used.
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
        // Some issuers know only one of the two; both ask for the same.
        if again { parameters.append((name: "prompt", value: "login")) }
        parameters.append((name: "max_age", value: again ? "0" : String(Int(maximumAge))))
        return (IssuerAddress.adding(parameters, to: metadata.authorizationURL), pending)
    }

    /// Finds where an operator signs out at the issuer too (RP-initiated logout).
    ///
    /// The ID token is not kept, so the issuer is not given it as a hint: it may ask the operator to confirm.
    ///
    /// - Parameters:
    ///   - returnURL: Where the issuer sends the browser afterwards, as it is registered there; nil for nowhere.
    ///   - now: The present instant.
    /// - Returns: Where to send the browser; nil where the issuer has no such page.
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` for an address that is not https, or why the issuer cannot be
    ///   used.
    public func endSessionURL(returnURL: String? = nil, now: Date = Date()) async throws(SignInError) -> String? {
        guard let address = try await self.metadata(at: now).endSessionURL else { return nil }
        var parameters = [(name: "client_id", value: self.configuration.clientID)]
        if let returnURL {
            guard self.configuration.isAcceptable(returnURL) else {
                throw .invalidConfiguration("The address after signing out is not an https address.")
            }
            parameters.append((name: "post_logout_redirect_uri", value: returnURL))
        }
        return IssuerAddress.adding(parameters, to: address)
    }

    private static func challenge(of verifier: String) -> String {
        Base64URL.text(Data(SHA256.hash(data: Data(verifier.utf8))))
    }
}
