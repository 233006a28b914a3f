/// An issuer whose tokens the service accepts, and the purpose of the tokens.
public struct IssuerConfiguration: Sendable {
    /// The purpose of an issuer's tokens.
    public enum Purpose: Sendable, Equatable {
        /// User routes: the token's subject identifies the owner of a wallet.
        case users
        /// Operator routes: the token's subject is recorded as the actor of changes.
        case operators
    }

    /// The exact value of the `iss` claim; it is unique among all issuers.
    public var issuer: String
    /// The accepted values of the `aud` claim; the token must contain one of them.
    public var audiences: [String]
    /// The purpose of the tokens.
    public var purpose: Purpose
    /// The text that precedes the token's `sub` in a user id.
    ///
    /// It has at most 64 characters and is different for each issuer of user tokens, so at most one issuer has an empty
    /// prefix.
    public var prefix: String
    /// The secret of tokens signed with HS256, at least 32 bytes; if nil, HS256 is refused.
    public var sharedSecret: [UInt8]?
    /// The address of the keys for tokens signed with ES256 and RS256; if nil, both algorithms are refused.
    public var jwksURL: String?
    /// The mapping from token claims to operator rights; if nil, each operator of the issuer has all rights.
    public var rights: OperatorRights?

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - issuer: The exact value of the `iss` claim.
    ///   - audiences: The accepted values of the `aud` claim.
    ///   - purpose: The purpose of the tokens.
    ///   - prefix: The text that precedes the subject in a user id.
    ///   - sharedSecret: The secret for HS256; nil if the issuer does not use HS256.
    ///   - jwksURL: The address of the keys for ES256 and RS256; nil if the issuer uses neither.
    ///   - rights: The mapping from token claims to operator rights; nil grants all rights.
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
