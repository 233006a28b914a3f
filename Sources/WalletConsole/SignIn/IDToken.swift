public import Foundation
import JOSE
public import JSON

/// A decoded but unverified ID token.
///
/// Do not trust its contents before the signature is verified with ``VerificationKey/signed(_:)``.
struct IDToken: Sendable {
    let keyID: ExactText?
    let algorithm: SignatureAlgorithm
    let jws: CompactJWS
    private let claims: [String: JSONValue]

    /// Decodes a token and refuses headers that no key of the issuer can have signed.
    init(_ token: String) throws(SignInError) {
        guard let jws = CompactJWS(token), let header = jws.header(),
            let claims = jws.claims(as: [String: JSONValue].self)
        else { throw .idToken(.malformed) }
        self.keyID = header.keyID
        self.algorithm = try Self.algorithm(in: header)
        self.jws = jws
        self.claims = claims
    }

    /// Returns the token's algorithm.
    ///
    /// Refuses other algorithms, including `none` and shared secrets, and tokens for other purposes, such as a logout.
    private static func algorithm(in header: JOSEHeader) throws(SignInError) -> SignatureAlgorithm {
        guard !header.isExtended, header.type == nil || header.type?.lowercased() == "jwt" else {
            throw .idToken(.malformed)
        }
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm), algorithm != .hs256 else {
            throw .idToken(.algorithm)
        }
        return algorithm
    }

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
            claims: self.claims
        )
    }

    /// Refuses a token from another issuer (OpenID Connect Core 3.1.3.7, 2).
    private func checkIssuer(_ issuer: String) throws(SignInError) {
        guard let own = try self.text("iss") else { throw .idToken(.malformed) }
        guard RandomText.isSame(own, issuer) else { throw .idToken(.issuer) }
    }

    /// Refuses a token for another client, and a token that another client received and passed on (3 to 5).
    private func checkAudience(_ clientID: String) throws(SignInError) {
        let audiences: [String]
        switch self.claims["aud"] {
        case .text(let audience): audiences = [audience]
        case .array(let values): audiences = values.compactMap(\.text)
        default: throw .idToken(.malformed)
        }
        guard audiences.contains(where: { RandomText.isSame($0, clientID) }) else { throw .idToken(.audience) }
        let party = try self.text("azp")
        if party == nil && audiences.count == 1 { return }
        guard let party, RandomText.isSame(party, clientID) else { throw .idToken(.authorizedParty) }
    }

    /// Refuses a token outside its time range (9 and 10), with an allowance for differing clocks.
    private func checkTime(_ now: Date, leeway: Double) throws(SignInError) {
        guard let expiry = try self.instant("exp"), let issued = try self.instant("iat") else {
            throw .idToken(.malformed)
        }
        guard now < expiry.addingTimeInterval(leeway) else { throw .idToken(.expired) }
        for instant in [issued, try self.instant("nbf"), try self.instant("auth_time")] {
            if let instant, instant > now.addingTimeInterval(leeway) { throw .idToken(.future) }
        }
    }

    /// Refuses a token for another sign-in (11).
    private func checkNonce(_ nonce: String) throws(SignInError) {
        guard let own = try self.text("nonce"), RandomText.isSame(own, nonce) else { throw .idToken(.nonce) }
    }

    /// Refuses a token unless it states that the operator authenticated after an instant (12 and 13).
    private func checkAuthenticated(since instant: Date, leeway: Double) throws(SignInError) {
        guard let authenticated = try self.instant("auth_time") else { throw .noAuthenticationTime }
        guard authenticated >= instant.addingTimeInterval(-leeway) else { throw .notAuthenticatedAgain }
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

    /// Returns a claim for display; nil if it is missing or contains control characters.
    private func shown(_ name: String) -> String? {
        self.claims[name]?.text.flatMap { Self.isName($0) ? $0 : nil }
    }

    /// Returns an optional text claim; throws if the claim has another type.
    private func text(_ name: String) throws(SignInError) -> String? {
        switch self.claims[name] {
        case .text(let text): return text
        case nil, .null: return nil
        default: throw .idToken(.malformed)
        }
    }

    /// Returns an optional claim in seconds since 1970; throws if the claim has another type.
    private func instant(_ name: String) throws(SignInError) -> Date? {
        switch self.claims[name] {
        case .number(let seconds): return Date(timeIntervalSince1970: NSDecimalNumber(decimal: seconds).doubleValue)
        case nil, .null: return nil
        default: throw .idToken(.malformed)
        }
    }
}

/// The identity of a signed-in operator, from a verified ID token.
public struct OpenIDIdentity: Sendable, Equatable {
    /// The issuer.
    public let issuer: String
    /// The operator's id at the issuer: never reassigned, with 1 to 255 characters that display unambiguously.
    public let subject: String
    /// The operator's name; nil if the issuer does not provide it or if it contains control characters.
    public let name: String?
    /// The operator's email address; nil under the same conditions as the name.
    public let email: String?
    /// A Boolean value that indicates whether the issuer verified the address; an unverified address grants no right.
    public let isEmailVerified: Bool
    /// The time of the operator's authentication (`auth_time`); nil if the issuer does not report it.
    ///
    /// With single sign-on, it may be long ago. The token's issue time (`iat`) is no substitute, because the issuer may
    /// have used an existing session.
    public let authenticatedAt: Date?
    /// All claims of the token, which may grant a right.
    public let claims: [String: JSONValue]
}
