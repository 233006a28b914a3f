import Crypto
import Foundation
import JOSE
import JSON
import Synchronization
import Wallet

/// Caches user tokens with verified signatures, so that a repeated token needs no signature check.
///
/// The cache stores only facts about a token that never change. For each request, the verifier checks the token's time
/// and that the issuer still uses the same key, and the database checks that the user still has an account. The cache
/// does not store the token itself; the lookup key is derived from its SHA-256. If the cache is full, an arbitrary part
/// of it is removed; the removed tokens are verified again when they return.
final class TokenCache: Sendable {
    /// The issuer, header and key that several tokens share.
    final class Source: Sendable {
        let issuer: ExactText
        let header: JOSEHeader
        let key: VerificationKey.Identity

        init(issuer: ExactText, header: JOSEHeader, key: VerificationKey.Identity) {
            self.issuer = issuer
            self.header = header
            self.key = key
        }
    }

    /// The verified contents of one token.
    ///
    /// The cache holds many entries, so they are small: times are seconds since 1970, and NaN represents a missing
    /// claim.
    struct Entry: Sendable {
        let user: UserID
        let source: Source
        let expiresAt: Double
        let notBefore: Double
        let issuedAt: Double
        let isAnonymous: Bool
        let profile: TokenProfile?
        let account = AdmittedAccount()
    }

    /// The first half of a token's SHA-256; to find another token with the same half takes 2^128 attempts.
    struct Digest: Hashable, Sendable {
        private let words: (UInt64, UInt64)

        init(_ token: String) {
            var token = token
            let digest = token.withUTF8 { SHA256.hash(data: $0) }
            self.words = digest.withUnsafeBytes { bytes in
                (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        }

        /// The number of parts that digests are divided into.
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
        /// The most recent token sources, at most 16; normally there is one for each key.
        var sources: [Source] = []
        /// The part of the entries that was removed last.
        var part: UInt64 = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates an empty cache.
    ///
    /// - Parameter limit: The maximum number of tokens in the cache; 0 disables the cache.
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the cached entry of a token.
    func entry(_ digest: Digest) -> Entry? {
        self.state.withLock { $0.entries[digest] }
    }

    /// Adds a verified token to the cache.
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

    /// Returns the shared source for this issuer, header and key.
    func source(issuer: ExactText, header: JOSEHeader, key: VerificationKey.Identity) -> Source {
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

    /// The number of cached tokens.
    var count: Int { self.state.withLock { $0.entries.count } }
}
