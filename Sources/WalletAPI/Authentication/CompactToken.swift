import Foundation
import JOSE
import JSON
import Wallet

/// A decoded but unverified JWT.
///
/// Do not trust its contents before the signature is verified with ``VerificationKey/signed(_:)``.
struct CompactToken: Sendable {
    /// The maximum length of a token in bytes.
    static let maximumLength = 8 * 1024

    let header: JOSEHeader
    let claims: TokenClaims
    let jws: CompactJWS

    init(_ token: String) throws(WalletAPIError) {
        guard token.utf8.count <= Self.maximumLength else { throw .refused("The token is too long.") }
        guard !token.hasPrefix("sb_") else { throw .refused("A project key is not a user's token.") }
        guard let jws = CompactJWS(token), let header = jws.header(), let claims = jws.claims(as: TokenClaims.self)
        else { throw Self.malformed }
        self.header = header
        self.claims = claims
        self.jws = jws
    }

    /// Decodes all claims, including those whose meaning is defined by the configuration.
    func allClaims() throws(WalletAPIError) -> JSONValue {
        guard let claims = self.jws.claims(as: JSONValue.self) else { throw Self.malformed }
        return claims
    }

    private static let malformed = WalletAPIError.refused("The token is malformed.")
}

extension JOSEHeader {
    /// Returns the token's algorithm, and refuses headers that the service does not support: other algorithms including
    /// `none`, critical extensions, and tokens for other purposes, such as a logout.
    func pinnedAlgorithm() throws(WalletAPIError) -> SignatureAlgorithm {
        guard !self.isExtended else { throw .refused("The token uses an extension that is not supported.") }
        switch self.type?.lowercased() {
        case nil, "jwt", "at+jwt", "application/at+jwt": break
        default: throw .refused("The token has the wrong type.")
        }
        guard let algorithm = SignatureAlgorithm(rawValue: self.algorithm) else {
            throw .refused("The token's algorithm is not accepted.")
        }
        return algorithm
    }
}

/// The claims of a token that the wallet uses; all other claims are ignored.
struct TokenClaims: Decodable, Sendable {
    let issuer: ExactText
    let subject: String?
    let audiences: [ExactText]
    let expiresAt: Double
    let notBefore: Double?
    let issuedAt: Double?
    let role: String?
    /// A Boolean value that indicates an anonymous user; Supabase sets this claim for users who have not signed in.
    let isAnonymous: Bool
    /// The service account that sent a push notification.
    let email: ExactText?
    let isEmailVerified: Bool

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expiresAt = "exp"
        case notBefore = "nbf"
        case issuedAt = "iat"
        case role
        case isAnonymous = "is_anonymous"
        case email
        case isEmailVerified = "email_verified"
    }

    /// A claim value that is used only if it is a text.
    private enum Text: Decodable {
        case text(String)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                self = .text(try container.decode(String.self))
            } catch DecodingError.typeMismatch {
                self = .other
            }
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.issuer = try container.decode(ExactText.self, forKey: .issuer)
        self.subject = try container.decodeIfPresent(String.self, forKey: .subject)
        self.expiresAt = try container.decode(Double.self, forKey: .expiresAt)
        self.notBefore = try container.decodeIfPresent(Double.self, forKey: .notBefore)
        self.issuedAt = try container.decodeIfPresent(Double.self, forKey: .issuedAt)
        self.email = try? container.decodeIfPresent(ExactText.self, forKey: .email)
        self.isEmailVerified = (try? container.decodeIfPresent(Bool.self, forKey: .isEmailVerified)) ?? false
        self.isAnonymous = (try? container.decodeIfPresent(Bool.self, forKey: .isAnonymous)) ?? false
        self.audiences = try Self.audiences(container)
        // Other issuers use `role` with other types; only the two texts in Supabase's project keys matter.
        switch try container.decodeIfPresent(Text.self, forKey: .role) {
        case .text(let role): self.role = role
        case .other, nil: self.role = nil
        }
    }

    private static func audiences(_ container: KeyedDecodingContainer<CodingKeys>) throws -> [ExactText] {
        guard container.contains(.audience) else { return [] }
        do {
            return [try container.decode(ExactText.self, forKey: .audience)]
        } catch DecodingError.typeMismatch {
            return try container.decode([ExactText].self, forKey: .audience)
        }
    }

    /// The time range in which the token is valid.
    var lifetime: TokenLifetime {
        TokenLifetime(expiresAt: self.expiresAt, notBefore: self.notBefore, issuedAt: self.issuedAt)
    }

    /// Refuses a token that was issued for another audience.
    func checkAudience(_ accepted: [String]) throws(WalletAPIError) {
        guard self.audiences.contains(where: accepted.map { ExactText($0) }.contains) else {
            throw .refused("The token is for another audience.")
        }
    }

    /// Refuses tokens without a usable subject, such as Supabase's project keys.
    func checkedSubject() throws(WalletAPIError) -> String {
        guard let subject = self.subject else { throw .refused("The token has no subject.") }
        guard Subject.isAcceptable(subject) else { throw .refused("The token's subject is not valid.") }
        return subject
    }

    /// Refuses project keys, which every installed app contains or which identify a server.
    func checkUserRole() throws(WalletAPIError) {
        if self.role == "anon" || self.role == "service_role" {
            throw .refused("A project key is not a user's token.")
        }
    }

    /// Refuses operator tokens that live too long or have no issue time.
    func checkLifetime(atMost lifetime: Double) throws(WalletAPIError) {
        guard let issuedAt = self.issuedAt else { throw .refused("An operator's token must have an issue time (iat).") }
        guard self.expiresAt - issuedAt <= lifetime else {
            throw .refused("An operator's token is valid for too long.")
        }
    }
}

/// The time range in which a token is valid, in seconds since 1970.
struct TokenLifetime: Sendable {
    let expiresAt: Double
    let notBefore: Double?
    let issuedAt: Double?

    /// Refuses a token outside its time range, with an allowance for differing clocks.
    func check(now: Double, leeway: Double) throws(WalletAPIError) {
        guard now < self.expiresAt + leeway else { throw .refused("The token has expired.") }
        if let notBefore = self.notBefore, now < notBefore - leeway {
            throw .refused("The token is not valid yet.")
        }
        // The deletion of an account invalidates tokens by their issue time; a token issued in the future would survive
        // it.
        if let issuedAt = self.issuedAt, issuedAt > now + leeway {
            throw .refused("The token was issued in the future.")
        }
    }

    /// Returns the remaining validity, with an allowance for differing clocks; at most a century.
    func remaining(now: Double, leeway: Double) -> Duration {
        .seconds(min(max(self.expiresAt + leeway - now, 0), 3_155_760_000))
    }
}
