public import Foundation

extension OpenIDClient {
    /// Finishes a sign-in, with what the browser brought back.
    ///
    /// - Parameters:
    ///   - code: The `code` of the address that the browser came back to.
    ///   - state: Its `state`.
    ///   - issuer: Its `iss`, where there is one: without it an issuer that sends one is refused.
    ///   - pending: What was kept of this browser's sign-in.
    ///   - now: The present instant.
    /// - Returns: Who has signed in.
    /// - Throws: Why nobody has.
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

    /// Returns what an issuer's refusal means, where it sends the browser back with an `error` in place of a code.
    ///
    /// - Parameters:
    ///   - code: The `error` of the address that the browser came back to.
    ///   - state: Its `state`.
    ///   - pending: What was kept of this browser's sign-in.
    ///   - now: The present instant.
    /// - Returns: ``SignInError/state`` or ``SignInError/tooLate`` for an answer to no sign-in that was begun here;
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

    /// Refuses an answer to another browser's sign-in, and one that comes too late.
    private func check(_ pending: PendingSignIn, state: String, at now: Date) throws(SignInError) {
        guard RandomText.isSame(state, pending.state) else { throw .state }
        let age = now.timeIntervalSince(pending.createdAt)
        guard age >= -self.configuration.leeway, age <= PendingSignIn.lifetime else { throw .tooLate }
    }

    /// Refuses a code that another issuer sent, before it is given to this one (RFC 9207).
    private func check(_ issuer: String?, of metadata: IssuerMetadata) throws(SignInError) {
        guard let issuer else {
            if metadata.sendsIssuer { throw .responseIssuer }
            return
        }
        guard RandomText.isSame(issuer, self.configuration.issuer) else { throw .responseIssuer }
    }

    /// Gives the issuer the code for an ID token.
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

    /// The client's id and secret as RFC 6749 (2.3.1) writes them: each escaped, then both together as base64.
    private static func basic(_ id: String, _ secret: String) -> String {
        let pair = "\(WebAddress.escaped(id)):\(WebAddress.escaped(secret))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }
}
