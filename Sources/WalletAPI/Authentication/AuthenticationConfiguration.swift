import Foundation
public import JSON
public import Stores
public import Wallet

/// The settings for token issuers and for fetching their keys.
public struct AuthenticationConfiguration: Sendable {
    /// The accepted issuers.
    public var issuers: [IssuerConfiguration]
    /// The number of seconds by which the clocks of issuer and service may differ.
    public var leeway: Double = 60
    /// The longest accepted lifetime of an operator's token in seconds, from its `iat` to its `exp`.
    public var operatorTokenLifetime: Double = 3_600
    /// The settings for fetching key sets.
    public var keySets = KeySetConfiguration()
    /// The maximum number of verified tokens in the cache; 0 disables the cache.
    public var cachedTokens = 100_000
    /// The claims from which the wallet stores users' names and email addresses for operators; nil stores none.
    public var profileClaims: ProfileClaims?

    /// Creates settings with the defaults.
    ///
    /// - Parameter issuers: The accepted issuers.
    public init(issuers: [IssuerConfiguration]) {
        self.issuers = issuers
    }
}

/// An issuer whose tokens the service accepts, and the purpose of the tokens.
public struct IssuerConfiguration: Sendable {
    /// The purpose of an issuer's tokens.
    public enum Purpose: String, Sendable, CaseIterable {
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

    /// Refuses an issuer that cannot be distinguished from others or whose tokens cannot be verified.
    func validate() throws(WalletAPIError) {
        let name = self.issuer.isEmpty ? "an issuer" : "issuer \(self.issuer)"
        if self.issuer.isEmpty { throw .configuration("An issuer has no iss value.") }
        if self.audiences.isEmpty || self.audiences.contains("") {
            throw .configuration("\(name) has no audience.")
        }
        if self.sharedSecret == nil && self.jwksURL == nil {
            throw .configuration("\(name) has neither a shared secret nor a JWKS address.")
        }
        if let secret = self.sharedSecret, secret.count < 32 {
            throw .configuration("\(name) has a shared secret of fewer than 32 bytes.")
        }
        if self.prefix.unicodeScalars.count > 64 || !Subject.isClean(self.prefix) {
            throw .configuration("\(name) has a prefix that is too long or contains control characters.")
        }
    }

    /// Refuses combinations of issuers in which one party could issue tokens for another issuer's users.
    static func validate(_ issuers: [IssuerConfiguration]) throws(WalletAPIError) {
        for issuer in issuers { try issuer.validate() }
        try Self.refuseDuplicates(issuers.map(\.issuer), "Two issuers have the same iss value.")
        let users = issuers.filter { $0.purpose == .users }
        if users.isEmpty { throw .configuration("No issuer of user tokens is configured.") }
        // The empty prefix is compared like any other prefix, so at most one issuer has it.
        try Self.refuseDuplicates(users.map(\.prefix), "Two issuers of user tokens have the same prefix.")
        for (index, issuer) in issuers.enumerated() {
            for other in issuers[..<index] where issuer.sharesSecret(with: other) || issuer.sharesKeySet(with: other) {
                throw .configuration("Issuers \(other.issuer) and \(issuer.issuer) sign with the same keys.")
            }
        }
    }

    /// Returns a Boolean value that indicates whether two issuers sign with the same secret.
    ///
    /// A party that holds a shared secret could issue tokens for the users of both issuers.
    ///
    /// - Parameter other: The other issuer.
    /// - Returns: `true` if both issuers have a secret and the secrets are equal.
    public func sharesSecret(with other: IssuerConfiguration) -> Bool {
        self.sharedSecret != nil && self.sharedSecret == other.sharedSecret
    }

    /// Returns a Boolean value that indicates whether two issuers publish their keys at the same address.
    ///
    /// The addresses are normalized before the comparison.
    ///
    /// - Parameter other: The other issuer.
    /// - Returns: `true` if both issuers have an address and the normalized addresses are equal.
    public func sharesKeySet(with other: IssuerConfiguration) -> Bool {
        guard let address = self.jwksURL, let others = other.jwksURL else { return false }
        return Self.normalized(address) == Self.normalized(others)
    }

    /// Normalizes an address: lower-case scheme and host, without the default port and without a fragment.
    private static func normalized(_ address: String) -> String {
        guard var parts = URLComponents(string: address) else { return address }
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        parts.fragment = nil
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        if parts.path.isEmpty { parts.path = "/" }
        return parts.string ?? address
    }

    private static func refuseDuplicates(_ values: [String], _ reason: String) throws(WalletAPIError) {
        if Set(values.map { Array($0.utf8) }).count != values.count { throw .configuration(reason) }
    }
}

/// Maps a claim of an operator's token to an operator right.
public struct OperatorRights: Sendable, Equatable {
    /// The name of the claim, or names separated by dots for a nested claim, such as `realm_access.roles`.
    ///
    /// The claim's value is one text or a list of texts. A text is not split, because names and addresses may contain
    /// spaces. The exception is `scope`, which is defined as a list of texts separated by spaces (RFC 8693, 4.2). The
    /// value of `email` is one address, and it is used only if `email_verified` in the same object is `true`.
    public var claim: String
    /// The operator right for each claim value; if several values match, the highest right applies.
    public var rights: [String: OperatorRight]

    /// Creates a mapping from a claim to rights.
    ///
    /// - Parameters:
    ///   - claim: The name of the claim.
    ///   - rights: The operator right for each claim value.
    public init(claim: String, rights: [String: OperatorRight]) {
        self.claim = claim
        self.rights = rights
    }

    /// Returns the right that a token's claims grant.
    ///
    /// - Parameter claims: All claims of a verified token.
    /// - Returns: The highest right that a value of the claim maps to; nil if no value maps to a right.
    public func right(in claims: JSONValue) -> OperatorRight? {
        let names = self.claim.split(separator: ".").map(String.init)
        let holder = names.dropLast().reduce(JSONValue?.some(claims)) { $0?[$1] }
        guard let name = names.last, let holder, let value = holder[name] else { return nil }
        return Self.values(of: name, value, in: holder).compactMap { self.rights[$0] }.max()
    }

    /// Returns the texts of a claim that are compared with the configured values.
    private static func values(of name: String, _ value: JSONValue, in holder: JSONValue) -> [String] {
        switch (name, value) {
        case ("email", .text(let address)):
            return holder["email_verified"] == .bool(true) && self.isAddress(address) ? [address] : []
        case ("email", _): return []
        case ("scope", .text(let text)): return text.split(separator: " ").map(String.init)
        case (_, .text(let text)): return [text]
        case (_, .array(let values)): return values.compactMap(\.text)
        default: return []
        }
    }

    /// Returns a Boolean value that indicates whether a text is a single plain email address.
    ///
    /// A plain address has a local part without quotes, blanks or lists, and a domain.
    ///
    /// - Parameter text: The text to check.
    /// - Returns: `true` if the text can be compared as an address.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let special = Set("\"(),:;<>[\\]".utf8)
        return parts.count == 2 && !parts.contains(where: \.isEmpty)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !special.contains($0) }
    }
}

/// The settings for fetching and caching a published key set (JWKS).
public struct KeySetConfiguration: Sendable {
    /// The maximum duration of one fetch.
    public var timeout: Duration = .seconds(5)
    /// The maximum size of a key set in bytes.
    public var maximumBytes = 256 * 1_024
    /// The minimum number of seconds between two fetches, however many unknown keys the tokens name.
    public var minimumInterval: Double = 30
    /// The age in seconds after which a key set is fetched again, so that withdrawn keys disappear.
    public var maximumAge: Double = 600
    /// A Boolean value that indicates whether `http:` is accepted for loopback addresses, for development and tests.
    public var allowsPlainLoopback = false
    /// The policy that decides whether a key set may come from a private network.
    public var reach = EgressPolicy.publicOnly

    /// Creates settings with the defaults.
    public init() {}
}
