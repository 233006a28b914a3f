import Crypto
import Foundation
import Synchronization
import Wallet

/// Remembers user tokens whose signature was verified, so that one that comes again needs no key.
///
/// Only what never changes about a token is remembered. Its time is checked each time it comes, its key must still be
/// the one that its issuer names, and whether its user still has an account is asked of the database. The token itself
/// is not kept: it is found by its SHA-256. The tokens that came last are kept, at most as many as the limit.
final class TokenCache: Sendable {
    struct Entry: Sendable {
        let user: UserID
        let issuer: String
        let header: TokenHeader
        let key: PinnedKey.Identity
        let lifetime: TokenLifetime
        let issuedAt: Date?
        let isAnonymous: Bool
    }

    typealias Digest = SHA256.Digest

    /// Tokens that came since the last change of generations, and those of the generation before.
    private struct Generations {
        var young: [Digest: Entry] = [:]
        var old: [Digest: Entry] = [:]
    }

    private let generations = Mutex(Generations())
    private let limit: Int

    /// Makes a cache that remembers nothing yet.
    ///
    /// - Parameter limit: How many tokens it remembers at most; 0 for none.
    init(limit: Int) {
        self.limit = limit
    }

    static func digest(_ token: String) -> Digest {
        var token = token
        return token.withUTF8 { SHA256.hash(data: $0) }
    }

    /// Finds what is remembered of a token.
    func entry(_ digest: Digest) -> Entry? {
        self.generations.withLock { generations in
            if let entry = generations.young[digest] { return entry }
            guard let entry = generations.old[digest] else { return nil }
            self.remember(entry, digest, in: &generations)
            return entry
        }
    }

    /// Remembers a token that was verified.
    func remember(_ entry: Entry, _ digest: Digest) {
        guard self.limit > 1 else { return }
        self.generations.withLock { self.remember(entry, digest, in: &$0) }
    }

    /// How many entries there are.
    var count: Int { self.generations.withLock { $0.young.count + $0.old.count } }

    private func remember(_ entry: Entry, _ digest: Digest, in generations: inout Generations) {
        if generations.young.count >= self.limit / 2 {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[digest] = entry
    }
}
