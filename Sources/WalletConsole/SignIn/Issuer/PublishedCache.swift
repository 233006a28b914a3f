import Foundation

/// Caches a document that an issuer publishes.
///
/// Concurrent callers share one fetch. An expired document is never used, even if a new fetch fails, because a sign-in
/// needs the issuer anyway. A failed fetch is not repeated for a while, because any visitor can begin a sign-in.
actor PublishedCache<Value: Sendable> {
    private struct Kept {
        let url: String
        let outcome: Result<Value, SignInError>
        let at: Date
    }

    private let fetch: @Sendable (String) async throws(SignInError) -> Value
    private var value: Kept?
    private var failure: Kept?
    private var running: (url: String, task: Task<Result<Value, SignInError>, Never>)?

    init(fetch: @escaping @Sendable (String) async throws(SignInError) -> Value) {
        self.fetch = fetch
    }

    /// Returns the document from the cache or from a fetch.
    ///
    /// - Parameters:
    ///   - url: The document's address.
    ///   - now: The current time.
    ///   - maximumAge: The maximum age of a cached document in seconds.
    ///   - pause: The number of seconds for which a failure is returned without another fetch.
    /// - Returns: The cached or fetched document.
    /// - Throws: The error of the fetch.
    func value(
        of url: String,
        at now: Date,
        maximumAge: Double,
        pause: Double
    ) async throws(SignInError) -> Value {
        for (kept, age) in [(self.value, maximumAge), (self.failure, pause)] {
            if let kept, kept.url == url, (0..<age).contains(now.timeIntervalSince(kept.at)) {
                return try kept.outcome.get()
            }
        }
        if let running, running.url == url { return try await running.task.value.get() }
        let task = Task { await self.fetchOnce(url, at: now) }
        self.running = (url, task)
        return try await task.value.get()
    }

    private func fetchOnce(_ url: String, at now: Date) async -> Result<Value, SignInError> {
        let outcome: Result<Value, SignInError>
        do throws(SignInError) {
            outcome = .success(try await self.fetch(url))
            self.value = Kept(url: url, outcome: outcome, at: now)
            self.failure = nil
        } catch {
            outcome = .failure(error)
            self.failure = Kept(url: url, outcome: outcome, at: now)
        }
        self.running = nil
        return outcome
    }
}
