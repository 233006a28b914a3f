import Foundation
import HTTPTypes
import Hummingbird

/// Keeps a sign-in that was begun in its own browser until the issuer sends the browser back.
struct SignInCookie: Sendable {
    let configuration: ConsoleConfiguration

    private var seal: Seal { self.configuration.seal(for: "console sign-in") }
    private var name: String { self.configuration.cookieName("wallet-console-sign-in") }

    /// Reads the sign-in that this browser began; nil for none.
    func pending(of request: Request) -> PendingSignIn? {
        request.cookies[self.name].flatMap { self.seal.open($0.value) }
    }

    /// Hands a sign-in to the browser.
    func keep(_ pending: PendingSignIn, in response: inout Response) throws {
        self.set(try self.seal.seal(pending), for: PendingSignIn.lifetime, in: &response)
    }

    /// Takes it from the browser: a sign-in is finished once.
    func remove(from response: inout Response) {
        self.set("", for: 0, in: &response)
    }

    /// The issuer's page leads back by a link of another site, so the cookie is lax about links.
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
