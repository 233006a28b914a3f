import Foundation
import Logging
import Stores

/// The usable keys of one published set, by their `kid`.
struct KeySet: Sendable {
    /// The maximum number of keys that are read from one set.
    static let maximumKeys = 100

    private let keys: [ExactText: [PinnedKey]]

    /// Reads a set and pins the usable keys.
    ///
    /// A key without `kid` is skipped, because a token cannot name it.
    init(json: Data, logger: Logger) async throws {
        var keys: [ExactText: [PinnedKey]] = [:]
        for member in try JSONDecoder().decode(Members.self, from: json).keys.prefix(Self.maximumKeys) {
            guard case .key(let published) = member, let keyID = published.keyID else { continue }
            do {
                guard let key = try await published.pinned() else { continue }
                keys[keyID, default: []].append(key)
            } catch {
                logger.warning("Ignored an unusable published key", metadata: ["kid": "\(keyID.text)"])
            }
        }
        self.keys = keys
    }

    /// Returns the keys with a `kid`.
    ///
    /// There is usually one; RFC 7517 allows one for each key type.
    subscript(keyID: ExactText) -> [PinnedKey] { self.keys[keyID] ?? [] }

    private struct Members: Decodable {
        let keys: [Member]
    }

    /// A member of the set.
    ///
    /// A member of an unexpected shape is skipped without affecting the other members.
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
