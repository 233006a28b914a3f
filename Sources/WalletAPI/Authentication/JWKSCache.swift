import AsyncHTTPClient
import Foundation
import HTTPTypes
import JOSE
import JSON
import Logging
import NIOCore
import NIOHTTP1
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
    nonisolated func key(
        _ keyID: ExactText,
        algorithm: SignatureAlgorithm
    ) async throws(WalletAPIError) -> VerificationKey {
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
        _ algorithm: SignatureAlgorithm
    ) throws(WalletAPIError) -> VerificationKey? {
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

/// Spaces out the fetches of a key set: a fixed interval after a success, a growing interval after failures.
private struct FetchBackoff: Sendable {
    private static let longest = 60.0

    private let minimumInterval: Double
    private var lastAttempt: Date?
    private var interval = 0.0
    private var failures = 0
    private(set) var lastSucceeded = false

    init(minimumInterval: Double) {
        self.minimumInterval = minimumInterval
    }

    /// Returns whether a fetch may start now.
    ///
    /// If the clock was set back, a fetch may start, so that fetches are not blocked.
    func allows(_ now: Date) -> Bool {
        guard let lastAttempt = self.lastAttempt else { return true }
        let passed = now.timeIntervalSince(lastAttempt)
        return passed < 0 || passed >= self.interval
    }

    /// The number of seconds until a fetch may start, at least 1.
    func wait(at now: Date) -> Int {
        guard let lastAttempt = self.lastAttempt else { return 1 }
        let left = self.interval - now.timeIntervalSince(lastAttempt)
        return Int(min(max(left.rounded(.up), 1), Self.longest))
    }

    mutating func succeeded(at now: Date) {
        self.lastAttempt = now
        self.interval = self.minimumInterval
        self.failures = 0
        self.lastSucceeded = true
    }

    mutating func failed(at now: Date) {
        self.lastAttempt = now
        self.failures += 1
        // 1, 2, 4 … seconds: a short outage ends soon after the issuer recovers, and a long outage causes few requests.
        self.interval = min(Double(1 << min(self.failures - 1, 6)), Self.longest)
        self.lastSucceeded = false
    }
}

/// Fetches a published key set over `https`, with limits on time and size, from public addresses by default.
struct KeySetSource: Sendable {
    let url: String
    let configuration: KeySetConfiguration
    let client: HTTPClient
    let logger: Logger

    init(url: String, configuration: KeySetConfiguration, client: HTTPClient, logger: Logger) throws(WalletAPIError) {
        guard Self.isAcceptable(URL(string: url), configuration) else {
            throw .configuration("The JWKS address \(url) is not an https address, or it leads into a private network.")
        }
        self.url = url
        self.configuration = configuration
        self.client = client
        self.logger = logger
    }

    /// Fetches the key set that is published now.
    func fetch() async throws -> KeySet {
        let json = try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await self.download() }
            group.addTask {
                try await Task.sleep(for: self.configuration.timeout)
                throw Failure.timeout
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw Failure.timeout }
            return first
        }
        let keys = try KeySet(json: json)
        for keyID in keys.invalidKeyIDs {
            self.logger.warning("Ignored an unusable published key", metadata: ["kid": "\(keyID)"])
        }
        return keys
    }

    private func download() async throws -> Data {
        var request = HTTPClientRequest(url: self.url)
        request.headers.add(name: "Accept", value: "application/json")
        let response = try await self.client.execute(request, deadline: .distantFuture, logger: self.logger)
        guard response.status == .ok else { throw Failure.status(Int(response.status.code)) }
        // A redirect must not lead from https to an address where an attacker could answer.
        guard Self.isAcceptable(response.url, self.configuration) else { throw Failure.redirect }
        let body = try await response.body.collect(upTo: self.configuration.maximumBytes)
        return Data(body.readableBytesView)
    }

    private enum Failure: Error {
        case timeout
        case status(Int)
        case redirect
    }

    private static func isAcceptable(_ url: URL?, _ configuration: KeySetConfiguration) -> Bool {
        guard let url, let host = url.host(), !host.isEmpty else { return false }
        switch url.scheme?.lowercased() {
        case "https": return configuration.allowsPlainLoopback || configuration.reach.allows(host: host)
        case "http": return configuration.allowsPlainLoopback && ["127.0.0.1", "localhost", "::1"].contains(host)
        default: return false
        }
    }
}
