/// Describes one party whose tokens are accepted, and for what.
public struct IssuerConfiguration: Sendable {
    /// What the issuer's tokens may be used for.
    public enum Purpose: Sendable, Equatable {
        /// User routes: the token's subject is a wallet's owner.
        case users
        /// Operator routes: the token's subject is the actor of what is changed.
        case operators
    }

    /// The exact value of the `iss` claim; no two issuers share one.
    public var issuer: String
    /// Accepted values of the `aud` claim; one of them must be in the token.
    public var audiences: [String]
    /// What the tokens are for.
    public var purpose: Purpose
    /// What stands before the token's `sub` in a user id.
    ///
    /// At most 64 characters, and different for each issuer of user tokens; so at most one has the empty prefix.
    public var prefix: String
    /// The secret of tokens signed with HS256, at least 32 bytes; nil refuses HS256.
    public var sharedSecret: [UInt8]?
    /// Where the keys of tokens signed with ES256 and RS256 are published; nil refuses both.
    public var jwksURL: String?
    /// Which right an operator's token gives; nil gives every operator of the issuer all of them.
    public var rights: OperatorRights?

    /// Describes an issuer.
    ///
    /// - Parameters:
    ///   - issuer: The exact value of the `iss` claim.
    ///   - audiences: Accepted values of the `aud` claim.
    ///   - purpose: What the tokens are for.
    ///   - prefix: What stands before the subject in a user id.
    ///   - sharedSecret: The secret for HS256, if it signs so.
    ///   - jwksURL: Where the keys for ES256 and RS256 are, if it signs so.
    ///   - rights: Which right an operator's token gives; nil for all of them.
    public init(
        issuer: String,
        audiences: [String],
        purpose: Purpose = .users,
        prefix: String = "",
        sharedSecret: [UInt8]? = nil,
        jwksURL: String? = nil,
        rights: OperatorRights? = nil
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.purpose = purpose
        self.prefix = prefix
        self.sharedSecret = sharedSecret
        self.jwksURL = jwksURL
        self.rights = rights
    }
}
