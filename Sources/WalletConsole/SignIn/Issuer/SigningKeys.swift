import Foundation
import Logging

/// The usable keys that an issuer publishes.
struct SigningKeys: Sendable {
    /// The most keys that are taken from one set.
    static let maximumKeys = 100

    private let keys: [SigningKey]

    /// Reads a set; keys that are none of our business are left out and do not spoil the rest.
    init(json: Data, logger: Logger) async throws(SignInError) {
        let members: [Member]
        do {
            members = try JSONDecoder().decode(Members.self, from: json).keys
        } catch {
            throw .answerUnreadable
        }
        var keys: [SigningKey] = []
        for case .key(let published) in members.prefix(Self.maximumKeys) {
            do {
                if let key = try await SigningKey(published) { keys.append(key) }
            } catch {
                logger.warning(
                    "an issuer's key is unusable and left out",
                    metadata: ["kid": "\(published.kid ?? "none")"]
                )
            }
        }
        self.keys = keys
    }

    /// Finds the key that a token names.
    ///
    /// - Parameter header: The token's header; one without `kid` means the only key of its algorithm.
    /// - Returns: The key; nil where it is not among these.
    /// - Throws: ``SignInError/Flaw/algorithm`` for a key that is pinned to another one than the token names.
    func key(for header: IDTokenHeader) throws(SignInError) -> SigningKey? {
        let algorithm = try header.pinnedAlgorithm()
        guard let keyID = header.keyID else {
            let keys = self.keys.filter { $0.algorithm == algorithm }
            return keys.count == 1 ? keys.first : nil
        }
        let keys = self.keys.filter { key in key.keyID.map { RandomText.isSame($0, keyID) } ?? false }
        if keys.isEmpty { return nil }
        guard let key = keys.first(where: { $0.algorithm == algorithm }) else { throw .idToken(.algorithm) }
        return key
    }

    private struct Members: Decodable {
        let keys: [Member]
    }

    /// A member of the set, perhaps of a foreign shape.
    private enum Member: Decodable {
        case key(PublishedKey)
        case other

        init(from decoder: any Decoder) throws {
            do {
                self = .key(try PublishedKey(from: decoder))
            } catch is DecodingError {
                self = .other
            }
        }
    }
}
