import Stores

/// The members of a token's header that determine how the token is verified.
struct TokenHeader: Decodable, Equatable, Sendable {
    let algorithm: String
    let keyID: ExactText?
    let type: String?
    let critical: [String]?

    enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case critical = "crit"
    }

    /// Returns the token's algorithm, and refuses headers that the service does not support: other algorithms including
    /// `none`, critical extensions, and tokens for other purposes, such as a logout.
    func pinnedAlgorithm() throws(WalletAPIError) -> PinnedKey.Algorithm {
        guard self.critical == nil else { throw .refused("The token uses an extension that is not supported.") }
        switch self.type?.lowercased() {
        case nil, "jwt", "at+jwt", "application/at+jwt": break
        default: throw .refused("The token has the wrong type.")
        }
        guard let algorithm = PinnedKey.Algorithm(rawValue: self.algorithm) else {
            throw .refused("The token's algorithm is not accepted.")
        }
        return algorithm
    }
}
