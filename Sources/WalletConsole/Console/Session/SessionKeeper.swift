import Foundation
import HTTPTypes
import Hummingbird

/// Stores sessions in browser cookies and reads them.
///
/// A cookie is signed, and scripts cannot read it. A session ends after a period without requests, and at the latest
/// some hours after the sign-in.
struct SessionKeeper: Sendable {
    let configuration: ConsoleConfiguration
    let ended: EndedSessions

    private var cookies: Seal { self.configuration.seal(for: "console session") }
    private var forms: Seal { self.configuration.seal(for: "console form") }
    private var name: String { self.configuration.cookieName("wallet-console") }

    /// Returns the session of a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The session; nil if there is none or it has ended.
    /// - Throws: An error of the storage of ended sessions.
    func session(of request: Request) async throws -> ConsoleSession? {
        guard let session = self.held(by: request) else { return nil }
        return try await self.ended.isEnded(session.digest) ? nil : session
    }

    /// Returns the session in a request's cookie; nil if it has expired.
    ///
    /// The session may have been signed out.
    func held(by request: Request) -> ConsoleSession? {
        guard
            let cookie = request.cookies[self.name]?.value,
            let session = self.cookies.open(cookie, as: ConsoleSession.self)
        else { return nil }
        let now = self.configuration.now()
        guard
            now < session.seenAt.addingTimeInterval(self.configuration.idleLifetime),
            now < self.end(of: session),
            session.seenAt <= now.addingTimeInterval(60)
        else { return nil }
        return session
    }

    /// Returns whether the operator must authenticate again before changing money.
    ///
    /// If the issuer did not report the time of the authentication, the session is always stale.
    func isStale(_ session: ConsoleSession) -> Bool {
        guard let signedInAt = session.signedInAt else { return true }
        return self.configuration.now() > signedInAt.addingTimeInterval(self.configuration.moneyLifetime)
    }

    /// Begins a session in a browser, and ends the session that it replaces, on every instance.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - request: The request that signs in, with the cookie of the earlier session.
    ///   - response: The response to the browser.
    /// - Throws: An error of the storage of ended sessions; a browser never has two valid sessions.
    func begin(_ session: ConsoleSession, replacing request: Request, in response: inout Response) async throws {
        if let earlier = self.held(by: request) {
            try await self.ended.end(earlier.digest, self.end(of: earlier))
        }
        try self.keep(session, in: &response, isNew: true)
    }

    /// Sets the session's cookie if the session is new or its last request is more than a minute old.
    func keep(_ session: ConsoleSession, in response: inout Response, isNew: Bool = false) throws {
        let now = self.configuration.now()
        guard isNew || now.timeIntervalSince(session.seenAt) > 60 else { return }
        self.set(try self.cookies.seal(session.seen(at: now)), for: self.configuration.idleLifetime, in: &response)
    }

    /// Ends a session on every instance.
    func end(_ session: ConsoleSession) async throws {
        try await self.ended.end(session.digest, self.end(of: session))
    }

    /// Removes the session's cookie from the browser.
    func remove(from response: inout Response) {
        self.set("", for: 0, in: &response)
    }

    /// Returns the token for the forms of a session, which other sites cannot know.
    func formToken(of session: ConsoleSession) -> String {
        self.forms.signature(of: session.id)
    }

    /// Returns whether a page of this session sent the form.
    func isFormToken(_ token: String, of session: ConsoleSession) -> Bool {
        self.forms.isSignature(token, of: session.id)
    }

    /// Returns the time at which a session ends regardless of its activity.
    func end(of session: ConsoleSession) -> Date {
        session.beganAt.addingTimeInterval(self.configuration.lifetime)
    }

    /// Sets a cookie with SameSite Lax, so that a link from another site, such as a ticket, opens its page without a
    /// sign-in.
    ///
    /// This is safe because GET requests change nothing.
    private func set(_ value: String, for seconds: TimeInterval, in response: inout Response) {
        response.setCookie(
            Cookie(
                name: self.name,
                value: value,
                maxAge: Int(seconds),
                path: "/",
                secure: self.configuration.isSecure,
                httpOnly: true,
                sameSite: .lax
            )
        )
    }
}
