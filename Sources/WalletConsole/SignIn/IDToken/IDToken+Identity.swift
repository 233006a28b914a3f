import Foundation
import Wallet

extension IDToken {
    /// Checks the claims of a token with a verified signature, and returns the identity.
    ///
    /// - Parameters:
    ///   - pending: The sign-in that the token must belong to.
    ///   - configuration: The issuer and client that the token must name.
    ///   - now: The current time.
    /// - Returns: The identity of the operator.
    /// - Throws: ``SignInError/idToken(_:)``, ``SignInError/notAuthenticatedAgain`` or
    ///   ``SignInError/noAuthenticationTime``.
    func identity(
        for pending: PendingSignIn,
        _ configuration: OpenIDConfiguration,
        at now: Date
    ) throws(SignInError) -> OpenIDIdentity {
        try self.checkIssuer(configuration.issuer)
        try self.checkAudience(configuration.clientID)
        try self.checkTime(now, leeway: configuration.leeway)
        try self.checkNonce(pending.nonce)
        if pending.again { try self.checkAuthenticated(since: pending.createdAt, leeway: configuration.leeway) }
        guard let subject = try self.text("sub"), Self.isName(subject) else { throw .idToken(.subject) }
        return OpenIDIdentity(
            issuer: configuration.issuer,
            subject: subject,
            name: self.shown("name"),
            email: self.shown("email"),
            isEmailVerified: self.claims["email_verified"]?.isTrue ?? false,
            // An issuer's clock that is ahead must not make the authentication appear newer.
            authenticatedAt: try self.instant("auth_time").map { min($0, now) },
            sessionID: self.claims["sid"]?.text,
            claims: self.claims
        )
    }

    /// Returns a claim for display; nil if it is missing or contains control characters.
    private func shown(_ name: String) -> String? {
        self.claims[name]?.text.flatMap { Self.isName($0) ? $0 : nil }
    }

    /// Returns whether a text has at most 255 characters, some of them visible, and no control characters.
    ///
    /// Line controls and bidirectional controls could display the text differently.
    private static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        let isClean = scalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
        let isVisible = scalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && scalar.properties.generalCategory != .format
        }
        return scalars.count <= 255 && isClean && isVisible
    }
}
