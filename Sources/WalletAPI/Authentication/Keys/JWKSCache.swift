import Foundation
import Logging
import Stores
import Synchronization

/// Caches the keys that one issuer publishes and fetches them again when a token names an unknown key.
///
/// A known key is returned from memory without waiting, even while a fetch hangs. All requests for unknown keys share
/// one fetch, and fetches are spaced out. So tokens with invented `kid`s cannot cause many requests to the issuer. A
/// failed fetch keeps the cached keys.
actor JWKSCache {
    private struct State: Sendable {
        var keys: KeySet?
        var fetchedAt: Date?
        var renewalAsked = false
    }

    private nonisolated let state = Mutex(State())
    private nonisolated let source: KeySetSource
    private nonisolated let now: @Sendable () -> Date
    private var backoff: FetchBackoff
    private var fetch: Task<Void, Never>?

    init(source: KeySetSource, now: @escaping @Sendable () -> Date) {
        self.source = source
        self.now = now
        self.backoff = FetchBackoff(minimumInterval: source.configuration.minimumInterval)
    }

    /// Returns the key that a token's header names.
    ///
    /// - Parameters:
    ///   - keyID: The header's `kid`.
    ///   - algorithm: The header's `alg`, which must be the algorithm that the key is pinned to.
    /// - Returns: The key.
    /// - Throws: ``WalletAPIError/Code/unauthenticated`` if the issuer publishes no such key, and
    ///   ``WalletAPIError/Code/keysUnavailable`` if the keys could not be fetched.
    nonisolated func key(_ keyID: ExactText, algorithm: PinnedKey.Algorithm) async throws(WalletAPIError) -> PinnedKey {
        if let key = try self.known(keyID, algorithm) {
            self.renewIfOld()
            return key
        }
        let isCurrent = await self.refresh()
        if let key = try self.known(keyID, algorithm) { return key }
        guard isCurrent else {
            let wait = await self.backoff.wait(at: self.now())
            throw WalletAPIError(.keysUnavailable, "The issuer's keys cannot be fetched.", retryAfter: wait)
        }
        throw .refused("The token was signed with an unknown key.")
    }

    private nonisolated func known(
        _ keyID: ExactText,
        _ algorithm: PinnedKey.Algorithm
    ) throws(WalletAPIError) -> PinnedKey? {
        guard let candidates = self.state.withLock({ $0.keys?[keyID] }), !candidates.isEmpty else { return nil }
        guard let key = candidates.first(where: { $0.algorithm == algorithm }) else {
            throw .refused("The token's algorithm does not match its key.")
        }
        return key
    }

    /// Starts one fetch in the background if the keys are older than the maximum age.
    private nonisolated func renewIfOld() {
        let now = self.now()
        let isDue = self.state.withLock { state in
            guard let fetchedAt = state.fetchedAt, !state.renewalAsked else { return false }
            guard now.timeIntervalSince(fetchedAt) >= self.source.configuration.maximumAge else { return false }
            state.renewalAsked = true
            return true
        }
        guard isDue else { return }
        Task {
            _ = await self.refresh()
            self.state.withLock { $0.renewalAsked = false }
        }
    }

    /// Fetches the keys unless a fetch happened recently; concurrent callers share one fetch.
    ///
    /// - Returns: A Boolean value that indicates whether the last fetch succeeded.
    private func refresh() async -> Bool {
        if self.fetch == nil && self.backoff.allows(self.now()) {
            self.fetch = Task { await self.fetchOnce() }
        }
        await self.fetch?.value
        return self.backoff.lastSucceeded
    }

    private func fetchOnce() async {
        defer { self.fetch = nil }
        do {
            let keys = try await self.source.fetch()
            self.state.withLock {
                $0.keys = keys
                $0.fetchedAt = self.now()
            }
            self.backoff.succeeded(at: self.now())
        } catch {
            self.backoff.failed(at: self.now())
            self.source.logger.warning(
                "The issuer's keys could not be fetched; the known keys stay in use",
                metadata: ["url": "\(self.source.url)", "error": "\(error)"]
            )
        }
    }
}
