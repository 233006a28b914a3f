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
        return try await self.ended.isEnded(session.digest) ? nil : session
    }

    /// Whether the operator has to prove again who it is before money moves.
    func isStale(_ session: ConsoleSession) -> Bool {
        self.configuration.now() > session.signedInAt.addingTimeInterval(self.configuration.moneyLifetime)
    }

    /// Hands the session to the browser where it is new, or was last heard of a minute ago.
    func keep(_ session: ConsoleSession, in response: inout Response, isNew: Bool = false) throws {
        let now = self.configuration.now()
        guard isNew || now.timeIntervalSince(session.seenAt) > 60 else { return }
        self.set(try self.cookies.seal(session.seen(at: now)), for: self.configuration.idleLifetime, in: &response)
    }

    /// Ends a session everywhere, and takes it from the browser.
    func end(_ session: ConsoleSession, in response: inout Response) async throws {
        try await self.ended.end(session.digest, self.end(of: session))
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

    private func end(of session: ConsoleSession) -> Date {
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
