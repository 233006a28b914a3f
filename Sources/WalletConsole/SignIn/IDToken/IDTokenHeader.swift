/// The members of an ID token's header that determine how the token is verified.
struct IDTokenHeader: Decodable, Sendable {
    let algorithm: String
    let keyID: String?
    let type: String?

    private enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard !container.contains(.critical) else {
            throw DecodingError.dataCorruptedError(
                forKey: .critical,
                in: container,
                debugDescription: "The header requires an unsupported extension (crit)."
            )
        }
        self.algorithm = try container.decode(String.self, forKey: .algorithm)
        self.keyID = try container.decodeIfPresent(String.self, forKey: .keyID)
        self.type = try container.decodeIfPresent(String.self, forKey: .type)
    }

    /// Returns the token's algorithm.
    ///
    /// Refuses other algorithms, including `none` and shared secrets, and tokens for other purposes, such as a logout.
    func pinnedAlgorithm() throws(SignInError) -> SigningKey.Algorithm {
        guard self.type == nil || self.type?.lowercased() == "jwt" else { throw .idToken(.malformed) }
        guard let algorithm = SigningKey.Algorithm(rawValue: self.algorithm) else { throw .idToken(.algorithm) }
        return algorithm
    }
}
