import Foundation
import HTTPTypes
import Hummingbird

/// Hands sessions to browsers as cookies and reads them back.
///
/// A cookie is signed and cannot be read by scripts; it ends when nothing was heard of the browser for a while, and in any
/// case some hours after the sign-in.
struct SessionKeeper: Sendable {
    let configuration: ConsoleConfiguration
    let ended: EndedSessions

    private var cookies: Seal { self.configuration.seal(for: "console session") }
    private var forms: Seal { self.configuration.seal(for: "console form") }
    private var name: String { self.configuration.cookieName("wallet-console") }

    /// Reads the session of a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The session; nil where there is none, or it has ended.
    /// - Throws: What the memory of ended sessions throws.
    func session(of request: Request) async throws -> ConsoleSession? {
        guard let session = self.held(by: request) else { return nil }
        return try await self.ended.isEnded(session.digest) ? nil : session
    }

    /// Reads the session that a request's cookie holds, which may have been signed out; nil where it has ended by itself.
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

    /// Returns whether the operator has to prove again who they are before money moves.
    ///
    /// Without the issuer's word of when that was, nothing is proved.
    func isStale(_ session: ConsoleSession) -> Bool {
        guard let signedInAt = session.signedInAt else { return true }
        return self.configuration.now() > signedInAt.addingTimeInterval(self.configuration.moneyLifetime)
    }

    /// Begins a session in a browser, and ends the one that it replaces there, on every instance.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - request: The request that signs in; it brings the cookie of the earlier session.
    ///   - response: The response to the browser.
    /// - Throws: What the memory of ended sessions throws: two sessions never live side by side in one browser.
    func begin(_ session: ConsoleSession, replacing request: Request, in response: inout Response) async throws {
        if let earlier = self.held(by: request) {
            try await self.ended.end(earlier.digest, self.end(of: earlier))
        }
        try self.keep(session, in: &response, isNew: true)
    }

    /// Hands the session to the browser where it is new, or was last heard of a minute ago.
    func keep(_ session: ConsoleSession, in response: inout Response, isNew: Bool = false) throws {
        let now = self.configuration.now()
        guard isNew || now.timeIntervalSince(session.seenAt) > 60 else { return }
        self.set(try self.cookies.seal(session.seen(at: now)), for: self.configuration.idleLifetime, in: &response)
    }

    /// Ends a session on every instance.
    func end(_ session: ConsoleSession) async throws {
        try await self.ended.end(session.digest, self.end(of: session))
    }

    /// Takes the session from the browser.
    func remove(from response: inout Response) {
        self.set("", for: 0, in: &response)
    }

    /// The token that each form of a session carries: another site cannot know it.
    func formToken(of session: ConsoleSession) -> String {
        self.forms.signature(of: session.id)
    }

    /// Returns whether a form was sent from a page of this session.
    func isFormToken(_ token: String, of session: ConsoleSession) -> Bool {
        self.forms.isSignature(token, of: session.id)
    }

    /// When a session ends by itself, however often the browser is heard of.
    func end(of session: ConsoleSession) -> Date {
        session.beganAt.addingTimeInterval(self.configuration.lifetime)
    }

    /// Hands a cookie over that is lax about links: one in a ticket shows its page and not the sign-in.
    ///
    /// Nothing changes by GET.
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
