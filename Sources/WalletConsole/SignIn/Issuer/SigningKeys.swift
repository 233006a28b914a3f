import Foundation
import Logging

/// The usable keys that an issuer publishes.
struct SigningKeys: Sendable {
    /// The maximum number of keys that are read from one set.
    static let maximumKeys = 100

    private let keys: [SigningKey]

    /// Parses a set; unsupported and invalid keys are skipped without affecting the others.
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
                    "ignored an unusable key of an issuer",
                    metadata: ["kid": "\(published.kid ?? "none")"]
                )
            }
        }
        self.keys = keys
    }

    /// Returns the key that a token names.
    ///
    /// - Parameter header: The token's header; without `kid`, the only key of the token's algorithm is used.
    /// - Returns: The key; nil if the set does not contain it.
    /// - Throws: ``SignInError/Flaw/algorithm`` if the key is pinned to another algorithm than the token's.
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

    /// A member of the set, which may have an unexpected shape.
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
