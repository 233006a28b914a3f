import Foundation
import NIOHTTP1
import Testing

@testable import Stores

@Suite(.serialized)
struct StoreHostTests {
    private static func limits(_ change: (inout StoreCallLimits) -> Void = { _ in }) -> StoreCallLimits {
        var limits = StoreCallLimits()
        limits.retryDelay = .milliseconds(5)
        change(&limits)
        return limits
    }

    /// Runs the check with a server that returns the responses in order, and then always the last one.
    private static func run(
        _ limits: StoreCallLimits = Self.limits(),
        answering answers: [ScriptedStore.Answer],
        check: @escaping @Sendable (ScriptedStore, StoreHost, StoreCall.Request) async throws -> Void
    ) async throws {
        let script: @Sendable (ScriptedStore.Call, Int) -> ScriptedStore.Answer = { _, before in
            answers[min(before, answers.count - 1)]
        }
        try await ScriptedStore.run(answering: script) { store, url, client in
            let host = StoreHost(
                name: "test",
                limits: limits,
                httpClient: client,
                logger: .silent,
                monotonicClock: { .now }
            )
            try await check(store, host, StoreCall.Request(method: .GET, url: "\(url)/x"))
        }
    }

    private static func outcome(
        of host: StoreHost,
        _ request: StoreCall.Request
    ) async -> Result<Int, StoreError> {
        do throws(StoreError) {
            return .success(try await host.answer(to: request).status)
        } catch {
            return .failure(error)
        }
    }

    @Test
    func `a temporary failure is retried`() async throws {
        try await Self.run(answering: [.init(status: 503), .init(status: 500), .init()]) { store, host, request in
            #expect(await Self.outcome(of: host, request) == .success(200))
            #expect(store.calls.count == 3)
        }
    }

    @Test
    func `a response about the request itself is not retried`() async throws {
        try await Self.run(answering: [.init(status: 404)]) { store, host, request in
            #expect(await Self.outcome(of: host, request) == .success(404))
            #expect(store.calls.count == 1)
        }
    }

    @Test
    func `a host that limits the rate gets no calls for a while`() async throws {
        let wanting = ScriptedStore.Answer(status: 429, headers: ["retry-after": "30"])
        try await Self.run(answering: [wanting, .init()]) { store, host, request in
            #expect(await Self.outcome(of: host, request) == .success(429))
            let second = await Self.outcome(of: host, request)
            #expect(throws: StoreError.self) { _ = try second.get() }
            #expect(store.calls.count == 1)
        }
    }

    @Test
    func `a call to a host that hangs ends at the deadline`() async throws {
        let limits = Self.limits { limits in
            limits.attemptTimeout = .seconds(60)
            limits.deadline = .milliseconds(300)
        }
        try await Self.run(limits, answering: [.init(delay: .seconds(8))]) { store, host, request in
            let start = ContinuousClock.now
            let outcome = await Self.outcome(of: host, request)
            #expect(outcome == .failure(StoreError(.unavailable, retryAfter: 5)))
            #expect(start.duration(to: .now) < .seconds(8))
            #expect(store.calls.count <= 1)
        }
    }

    @Test
    func `the host's Retry-After is passed on`() async throws {
        let limits = Self.limits { $0.maximumAttempts = 1 }
        let answer = ScriptedStore.Answer(status: 503, headers: ["retry-after": "77"])
        try await Self.run(limits, answering: [answer]) { _, host, request in
            let outcome = await Self.outcome(of: host, request)
            #expect(outcome == .failure(StoreError(.unavailable, storeStatus: 503, retryAfter: 77)))
        }
    }

    @Test
    func `the status of a failure is kept when later attempts time out`() async throws {
        let limits = Self.limits { limits in
            limits.attemptTimeout = .seconds(8)
            limits.maximumAttempts = 2
        }
        let answers = [ScriptedStore.Answer(status: 503), .init(delay: .seconds(30))]
        try await Self.run(limits, answering: answers) { store, host, request in
            let outcome = await Self.outcome(of: host, request)
            #expect(outcome == .failure(StoreError(.unavailable, storeStatus: 503, retryAfter: 5)))
            #expect(store.calls.count == 2)
        }
    }

    @Test
    func `a cancelled call does not count as a failure of the host`() async throws {
        let limits = Self.limits { $0.breaker.threshold = 1 }
        try await Self.run(limits, answering: [.init(delay: .seconds(2)), .init()]) { store, host, request in
            let asking = Task { await Self.outcome(of: host, request) }
            while store.calls.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            asking.cancel()
            #expect(await asking.value == .failure(StoreError(.unavailable, retryAfter: 5)))
            #expect(await Self.outcome(of: host, request) == .success(200))
        }
    }

    @Test
    func `a response beyond the size limit is invalid`() async throws {
        let limits = Self.limits { $0.maximumResponseBytes = 1_000 }
        let answer = ScriptedStore.Answer(body: String(repeating: "a", count: 2_000))
        try await Self.run(limits, answering: [answer]) { _, host, request in
            let outcome = await Self.outcome(of: host, request)
            #expect(outcome == .failure(StoreError(.unavailable, retryAfter: 5)))
        }
    }
}
