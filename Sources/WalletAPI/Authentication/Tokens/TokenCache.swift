import Crypto
import Foundation
import Stores
import Synchronization
import Wallet

/// Remembers user tokens whose signature was verified, so that one that comes again needs no key.
///
/// Only what never changes about a token is remembered. Its time is checked each time it comes, its key must still be
/// the one that its issuer names, and whether its user still has an account is asked of the database. The token itself
/// is not kept: it is found by its SHA-256. When there are too many, some are forgotten, whichever they are: a token that
/// comes again is verified again.
final class TokenCache: Sendable {
    /// What tokens of one issuer and key have in common.
    final class Source: Sendable {
        let issuer: ExactText
        let header: TokenHeader
        let key: PinnedKey.Identity

        init(issuer: ExactText, header: TokenHeader, key: PinnedKey.Identity) {
            self.issuer = issuer
            self.header = header
            self.key = key
        }
    }

    /// What one token says.
    ///
    /// There are many of them, so they are small: seconds since 1970, NaN where nothing is said.
    struct Entry: Sendable {
        let user: UserID
        let source: Source
        let expiresAt: Double
        let notBefore: Double
        let issuedAt: Double
        let isAnonymous: Bool
        let account = AdmittedAccount()
    }

    /// The first half of a token's SHA-256: to find another with the same takes 2^128 attempts.
    struct Digest: Hashable, Sendable {
        private let words: (UInt64, UInt64)

        init(_ token: String) {
            var token = token
            let digest = token.withUTF8 { SHA256.hash(data: $0) }
            self.words = digest.withUnsafeBytes { bytes in
                (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }

        /// Into how many parts digests fall, and which this is in.
        static let parts: UInt64 = 16
        var part: UInt64 { self.words.0 % Self.parts }

        static func == (left: Self, right: Self) -> Bool { left.words == right.words }

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.words.0)
            hasher.combine(self.words.1)
        }
    }

    private struct State {
        var entries: [Digest: Entry] = [:]
        /// The sources that tokens came from lately; there are as many as keys.
        var sources: [Source] = []
        /// Which part of the entries is forgotten next.
        var part: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Makes a cache that remembers nothing yet.
    ///
    /// - Parameter limit: How many tokens it remembers at most; 0 for none.
    init(limit: Int) {
        self.limit = limit
    }

    /// Finds what is remembered of a token.
    func entry(_ digest: Digest) -> Entry? {
        self.state.withLock { $0.entries[digest] }
    }

    /// Remembers a token that was verified.
    func remember(_ entry: Entry, _ digest: Digest) {
        guard self.limit > 0 else { return }
        self.state.withLock { state in
            state.entries[digest] = entry
            while state.entries.count > self.limit {
                state.part = (state.part + 1) % Digest.parts
                let part = state.part
                state.entries = state.entries.filter { $0.key.part != part }
            }
        }
    }

    /// The one source of tokens of this issuer, header and key.
    func source(issuer: ExactText, header: TokenHeader, key: PinnedKey.Identity) -> Source {
        self.state.withLock { state in
            let known = state.sources.first { source in
                source.key == key && source.issuer == issuer && source.header == header
            }
            if let known { return known }
            let source = Source(issuer: issuer, header: header, key: key)
            state.sources.append(source)
            if state.sources.count > 16 { state.sources.removeFirst() }
            return source
        }
    }

    /// How many tokens are remembered.
    var count: Int { self.state.withLock { $0.entries.count } }
}
