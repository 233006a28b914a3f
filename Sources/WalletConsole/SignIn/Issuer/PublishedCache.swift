import Foundation

/// Keeps what an issuer publishes at an address.
///
/// Callers at the same time share one fetch. What is too old is not used, also where it cannot be fetched again: a sign-in
/// needs the issuer in any case. A fetch that failed is not repeated for a while, since anybody can begin a sign-in.
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

    /// Returns what is published.
    ///
    /// - Parameters:
    ///   - url: Where.
    ///   - now: The present instant.
    ///   - maximumAge: How many seconds ago it was fetched at most.
    ///   - pause: For how many seconds a failure is answered without asking again.
    /// - Returns: What was fetched, then or now.
    /// - Throws: Why it cannot be fetched.
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
