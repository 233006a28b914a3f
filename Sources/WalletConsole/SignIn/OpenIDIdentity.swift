public import Foundation
public import Wallet

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
    /// The id of the operator's session at the issuer (`sid`).
    public let sessionID: String?
    /// All claims of the token, which may grant a right.
    public let claims: [String: JSONValue]
}
