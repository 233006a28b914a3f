import Foundation
import HTTPTypes
import Hummingbird

/// Stores a pending sign-in in the browser until the issuer redirects the browser back.
struct SignInCookie: Sendable {
    let configuration: ConsoleConfiguration

    private var seal: Seal { self.configuration.seal(for: "console sign-in") }
    private var name: String { self.configuration.cookieName("wallet-console-sign-in") }

    /// Returns the pending sign-in of this browser; nil if there is none.
    func pending(of request: Request) -> PendingSignIn? {
        request.cookies[self.name].flatMap { self.seal.open($0.value) }
    }

    /// Stores a pending sign-in in the browser.
    func keep(_ pending: PendingSignIn, in response: inout Response) throws {
        self.set(try self.seal.seal(pending), for: PendingSignIn.lifetime, in: &response)
    }

    /// Removes the pending sign-in, because it can be completed only once.
    func remove(from response: inout Response) {
        self.set("", for: 0, in: &response)
    }

    /// Sets the cookie with SameSite Lax, because the browser returns from the issuer's site.
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
