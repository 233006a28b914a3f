public import Foundation

extension OpenIDClient {
    /// Completes a sign-in with the parameters of the browser's return.
    ///
    /// - Parameters:
    ///   - code: The parameter `code` of the browser's return.
    ///   - state: The parameter `state`.
    ///   - issuer: The parameter `iss`, if there is one; it is required from issuers that support it.
    ///   - pending: The stored state of this browser's sign-in.
    ///   - now: The current time.
    /// - Returns: The identity of the operator.
    /// - Throws: The reason of the failure.
    public func identity(
        code: String,
        state: String,
        issuer: String? = nil,
        pending: PendingSignIn,
        now: Date = Date()
    ) async throws(SignInError) -> OpenIDIdentity {
        try self.check(pending, state: state, at: now)
        let metadata = try await self.metadata(at: now)
        try self.check(issuer, of: metadata)
        let token = try IDToken(try await self.exchange(code, pending, metadata))
        let key = try await self.key(for: token.header, of: metadata, at: now)
        guard key.signed(token) else { throw .idToken(.signature) }
        return try token.identity(for: pending, self.configuration, at: now)
    }

    /// Returns the error for an issuer's refusal, which returns the browser with an `error` instead of a code.
    ///
    /// - Parameters:
    ///   - code: The parameter `error` of the browser's return.
    ///   - state: The parameter `state`.
    ///   - pending: The stored state of this browser's sign-in.
    ///   - now: The current time.
    /// - Returns: ``SignInError/state`` or ``SignInError/tooLate`` if the response does not belong to this sign-in;
    ///   otherwise ``SignInError/declined`` or ``SignInError/authorizationRefused``.
    public func refusal(
        error code: String,
        state: String,
        pending: PendingSignIn,
        now: Date = Date()
    ) -> SignInError {
        do throws(SignInError) {
            try self.check(pending, state: state, at: now)
        } catch {
            return error
        }
        return SignInError(authorizationError: code)
    }

    /// Refuses a response to another browser's sign-in, and a response that arrives too late.
    private func check(_ pending: PendingSignIn, state: String, at now: Date) throws(SignInError) {
        guard RandomText.isSame(state, pending.state) else { throw .state }
        let age = now.timeIntervalSince(pending.createdAt)
        guard age >= -self.configuration.leeway, age <= PendingSignIn.lifetime else { throw .tooLate }
    }

    /// Refuses a code from another issuer before the client sends it to this issuer (RFC 9207).
    private func check(_ issuer: String?, of metadata: IssuerMetadata) throws(SignInError) {
        guard let issuer else {
            if metadata.sendsIssuer { throw .responseIssuer }
            return
        }
        guard RandomText.isSame(issuer, self.configuration.issuer) else { throw .responseIssuer }
    }

    /// Exchanges the code for an ID token.
    private func exchange(
        _ code: String,
        _ pending: PendingSignIn,
        _ metadata: IssuerMetadata
    ) async throws(SignInError) -> String {
        guard !code.isEmpty else { throw .codeRefused }
        var form = [
            (name: "grant_type", value: "authorization_code"),
            (name: "code", value: code),
            (name: "redirect_uri", value: self.configuration.redirectURL),
            (name: "code_verifier", value: pending.codeVerifier),
        ]
        var authorization: String?
        if let secret = self.configuration.clientSecret, metadata.takesBasic {
            authorization = Self.basic(self.configuration.clientID, secret)
        } else {
            form.append((name: "client_id", value: self.configuration.clientID))
            if let secret = self.configuration.clientSecret { form.append((name: "client_secret", value: secret)) }
        }
        let (status, body) = try await self.requests.post(metadata.tokenURL, form, authorization: authorization)
        guard status == 200 else { throw TokenAnswer.refusal(status: status, json: body) }
        return try TokenAnswer.idToken(json: body)
    }

    /// Returns the Basic credentials of RFC 6749 (2.3.1): id and secret are escaped, joined and base64-encoded.
    private static func basic(_ id: String, _ secret: String) -> String {
        let pair = "\(WebAddress.escaped(id)):\(WebAddress.escaped(secret))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }
}
