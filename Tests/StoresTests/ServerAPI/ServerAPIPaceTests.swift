import Foundation
import HTTPTypes
import Stores
import Testing

/// How the store is spared: its own limits, ours, and rest after outages.
@Suite
struct ServerAPIPaceTests {
    private static func transaction(_ api: AppStoreServerAPI) async -> StoreError? {
        await refusal { () throws(StoreError) in _ = try await api.transaction("2001") }
    }

    @Test
    func `the store's own word on when to come again is kept`() async throws {
        let answer = APIStore.Answer(code: 4_290_000, headers: [.retryAfter: "37"])
        try await APIStore.run(.answering { _ in answer }) { api, store in
            let error = await Self.transaction(api)
            #expect(error?.code == .rateLimited)
            #expect(error?.retryAfter == 37)
            // Asked again, the client answers by itself until the time has come.
            #expect(await Self.transaction(api)?.code == .rateLimited)
            #expect(store.calls.count == 1)
            store.clock.advance(by: .seconds(38))
            #expect(await Self.transaction(api)?.code == .rateLimited)
            #expect(store.calls.count == 2)
        }
    }

    @Test
    func `an instant in milliseconds is understood as well`() async throws {
        let instant = Int64((Date().timeIntervalSince1970 + 120) * 1_000)
        let answer = APIStore.Answer(code: 4_290_000, headers: [.retryAfter: "\(instant)"])
        try await APIStore.run(.answering { _ in answer }) { api, _ in
            let seconds = try #require(await Self.transaction(api)?.retryAfter)
            #expect((60...121).contains(seconds))
        }
    }

    @Test
    func `an outage with a time that does not fit is reported at once`() async throws {
        let answer = APIStore.Answer(status: 503, headers: [.retryAfter: "600"])
        try await APIStore.run(.answering { _ in answer }) { api, store in
            let error = await Self.transaction(api)
            #expect(error?.code == .unavailable)
            #expect(error?.retryAfter == 600)
            #expect(store.calls.count == 1)
        }
    }

    @Test
    func `our own pace holds further calls back and refuses those without time`() async throws {
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
                // Five at once and five a second after that, for the half of the time that a caller may wait.
                #expect(start.duration(to: .now) > .milliseconds(1_000))
                #expect((10...25).contains(store.calls.count))
                let refused = outcomes.compactMap { $0 }
                #expect(refused.count >= 15)
                #expect(refused.contains { $0.code == .rateLimited && ($0.retryAfter ?? 0) >= 1 })
            }
        )
    }

    @Test
    func `a side that is down is left alone, and the other one is not`() async throws {
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
    func `refusals are no outage`() async throws {
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
    func `callers who go away do not make the store count as down`() async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { call in
                var answer = try sale.answer()
                if call.path.hasSuffix("slow") { answer.delay = .seconds(2) }
                return answer
            },
            change: { $0.limits.breaker = CircuitBreakerConfiguration(threshold: 1) },
            check: { api, _ in
                let task = Task { await refusal { () throws(StoreError) in _ = try await api.transaction("slow") } }
                try await Task.sleep(for: .milliseconds(100))
                task.cancel()
                #expect(await task.value?.code == .unavailable)
                let transaction = try await api.transaction(sale.id)
                #expect(transaction.environment == .production)
            }
        )
    }

    @Test
    func `the deadline ends waiting for a store that hangs`() async throws {
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
