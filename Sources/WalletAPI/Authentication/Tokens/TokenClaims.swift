import Stores

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
}
