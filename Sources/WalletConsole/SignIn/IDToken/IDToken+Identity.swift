import Foundation
import Wallet

extension IDToken {
    /// Checks the claims of a token whose signature is the issuer's, and reads who it is.
    ///
    /// - Parameters:
    ///   - pending: The sign-in that it has to answer.
    ///   - configuration: The issuer and the client that it has to name.
    ///   - now: The present instant.
    /// - Returns: Who has signed in.
    /// - Throws: ``SignInError/idToken(_:)`` or ``SignInError/notAuthenticatedAgain``.
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
            // A clock that is ahead must not make the sign-in newer than it is.
            authenticatedAt: try self.instant("auth_time").map { min($0, now) },
            sessionID: self.claims["sid"]?.text,
            claims: self.claims
        )
    }

    /// A claim that pages show, where it can be shown as it is.
    private func shown(_ name: String) -> String? {
        self.claims[name]?.text.flatMap { Self.isName($0) ? $0 : nil }
    }

    /// Returns whether a text is 1 to 255 characters, some of them visible, without controls: neither lines nor
    /// directions, which show a text in another order than it has.
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
