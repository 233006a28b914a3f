import Foundation
import HTTPTypes
import Stores
import Testing

/// Tests of the limits that protect the store: its own limits, the client's, and pauses after outages.
@Suite
struct ServerAPIPaceTests {
    private static func transaction(_ api: AppStoreServerAPI) async -> StoreError? {
        await refusal { () throws(StoreError) in _ = try await api.transaction("2001") }
    }

    @Test
    func `the store's Retry-After is respected`() async throws {
        let answer = APIStore.Answer(code: 4_290_000, headers: [.retryAfter: "37"])
        try await APIStore.run(.answering { _ in answer }) { api, store in
            let error = await Self.transaction(api)
            #expect(error?.code == .rateLimited)
            #expect(error?.retryAfter == 37)
            // Until that time, the client answers without a request.
            #expect(await Self.transaction(api)?.code == .rateLimited)
            #expect(store.calls.count == 1)
            store.clock.advance(by: .seconds(38))
            #expect(await Self.transaction(api)?.code == .rateLimited)
            #expect(store.calls.count == 2)
        }
    }

    @Test
    func `an instant in milliseconds is accepted`() async throws {
        let instant = Int64((Date().timeIntervalSince1970 + 120) * 1_000)
        let answer = APIStore.Answer(code: 4_290_000, headers: [.retryAfter: "\(instant)"])
        try await APIStore.run(.answering { _ in answer }) { api, _ in
            let seconds = try #require(await Self.transaction(api)?.retryAfter)
            #expect((60...121).contains(seconds))
        }
    }

    @Test
    func `an outage whose Retry-After exceeds the deadline is reported at once`() async throws {
        let answer = APIStore.Answer(status: 503, headers: [.retryAfter: "600"])
        try await APIStore.run(.answering { _ in answer }) { api, store in
            let error = await Self.transaction(api)
            #expect(error?.code == .unavailable)
            #expect(error?.retryAfter == 600)
            #expect(store.calls.count == 1)
        }
    }

    @Test
    func `the client's own rate delays calls and refuses those without time`() async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in try sale.answer() },
            change: { configuration in
                configuration.callsPerSecond = 5
                configuration.limits.deadline = .seconds(4)
            },
            check: { api, store in
                let start = ContinuousClock.now
                let outcomes = await withTaskGroup(of: StoreError?.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                // Five calls start at once and then five a second, for the half of the time that a caller may wait.
                #expect(start.duration(to: .now) > .milliseconds(1_000))
                #expect((10...25).contains(store.calls.count))
                let refused = outcomes.compactMap { $0 }
                #expect(refused.count >= 15)
                #expect(refused.contains { $0.code == .rateLimited && ($0.retryAfter ?? 0) >= 1 })
            }
        )
    }

    @Test
    func `a side that is down gets no calls, the other side does`() async throws {
        try await APIStore.run(
            answering: { $0.side == .production ? APIStore.Answer(status: 500) : APIStore.Answer(status: 202) },
            change: { $0.limits.breaker = CircuitBreakerConfiguration(threshold: 3) },
            check: { api, store in
                #expect(await Self.transaction(api)?.code == .unavailable)
                let error = await Self.transaction(api)
                #expect(error?.code == .unavailable)
                #expect((1...15).contains(error?.retryAfter ?? 0))
                #expect(store.count(.production) == 3)
                let information = ConsumptionInformation(granted: 1, spent: 0, kind: .oneTime)
                try await api.sendConsumption(information, of: "2001", in: .sandbox)
                store.clock.advance(by: .seconds(16))
                #expect(await Self.transaction(api)?.code == .unavailable)
                #expect(store.count(.production) == 4)
            }
        )
    }

    @Test
    func `refusals are not outages`() async throws {
        try await APIStore.run(
            answering: { _ in .notFound },
            change: { $0.limits.breaker = CircuitBreakerConfiguration(threshold: 2) },
            check: { api, store in
                for _ in 0..<5 { #expect(await Self.transaction(api)?.code == .notFound) }
                #expect(store.count(.production) == 5)
            }
        )
    }

    @Test
    func `cancelled callers do not count as outages of the store`() async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { call in
                var answer = try sale.answer()
                if call.path.hasSuffix("slow") { answer.delay = .seconds(4) }
                return answer
            },
            change: { $0.limits.breaker = CircuitBreakerConfiguration(threshold: 1) },
            check: { api, store in
                let task = Task { await refusal { () throws(StoreError) in _ = try await api.transaction("slow") } }
                while store.calls.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                task.cancel()
                #expect(await task.value?.code == .unavailable)
                let transaction = try await api.transaction(sale.id)
                #expect(transaction.environment == .production)
            }
        )
    }

    @Test
    func `the deadline ends the wait for a store that hangs`() async throws {
        try await APIStore.run(
            answering: { _ in
                var answer = APIStore.Answer.notFound
                answer.delay = .seconds(2)
                return answer
            },
            change: { $0.limits.deadline = .seconds(1) },
            check: { api, store in
                #expect(await Self.transaction(api)?.code == .unavailable)
                #expect(store.calls.count <= 1)
            }
        )
    }
}
