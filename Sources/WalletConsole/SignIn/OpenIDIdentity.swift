public import Foundation
public import Wallet

/// Who has signed in, as a verified ID token says it.
public struct OpenIDIdentity: Sendable, Equatable {
    /// The issuer.
    public let issuer: String
    /// Who it is, for the issuer: never given to somebody else, and 1 to 255 characters that show it as it is.
    public let subject: String
    /// How the person is called; nil where the issuer does not say, or with characters that show it in another order.
    public let name: String?
    /// The person's address; nil like the name.
    public let email: String?
    /// Whether the issuer has seen that the address is the person's; without it an address gives nobody a right.
    public let isEmailVerified: Bool
    /// When the person proved who they are (`auth_time`); nil if the issuer does not say.
    ///
    /// With single sign-on that may be long ago. When the token was issued (`iat`) proves nothing: the issuer may have remembered the person.
    public let authenticatedAt: Date?
    /// What the issuer calls the person's session there (`sid`).
    public let sessionID: String?
    /// All claims of the token, so that a right can be found from one.
    public let claims: [String: JSONValue]
}
