import Stores

/// A member of a published key set (RFC 7517), with the parameters that are needed to pin it.
struct PublishedKey: Decodable, Sendable {
    let type: String
    let keyID: ExactText?
    let algorithm: String?
    let use: String?
    let operations: [String]?
    let curve: String?
    let x: String?
    let y: String?
    let modulus: String?
    let exponent: String?

    enum CodingKeys: String, CodingKey {
        case type = "kty"
        case keyID = "kid"
        case algorithm = "alg"
        case use
        case operations = "key_ops"
        case curve = "crv"
        case x, y
        case modulus = "n"
        case exponent = "e"
    }

    /// Pins the key to the algorithm of its type, or returns nil for keys of other types and uses.
    ///
    /// A set may contain keys for other purposes, such as encryption or other curves; they do not affect the usable
    /// keys.
    func pinned() async throws -> PinnedKey? {
        guard self.use == nil || self.use == "sig" else { return nil }
        guard self.operations == nil || self.operations?.contains("verify") == true else { return nil }
        switch self.type {
        case "EC" where self.curve == "P-256" && self.isFor(.es256):
            guard let x = self.x, let y = self.y else { return nil }
            return try await PinnedKey(x: x, y: y)
        case "RSA" where self.isFor(.rs256):
            guard let modulus = self.modulus, let exponent = self.exponent else { return nil }
            return try await PinnedKey(modulus: modulus, exponent: exponent)
        default:
            return nil
        }
    }

    private func isFor(_ algorithm: PinnedKey.Algorithm) -> Bool {
        self.algorithm == nil || self.algorithm == algorithm.rawValue
    }
}
