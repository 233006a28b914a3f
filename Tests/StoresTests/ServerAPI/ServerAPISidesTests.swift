import Foundation
import Logging
import Stores
import Testing

/// Tests of which environments are queried, in which order, and of their combined result.
@Suite
struct ServerAPISidesTests {
    private static let unauthorized = APIStore.Answer(status: 401, body: "Unauthenticated\n")

    private static func outcome(
        production: APIStore.Answer,
        sandbox: APIStore.Answer,
        check: @escaping @Sendable (StoreError?, APIStore) async throws -> Void
    ) async throws {
        try await APIStore.run(.answering { $0.side == .production ? production : sandbox }) { api, store in
            let error = await refusal { () throws(StoreError) in _ = try await api.transaction("2000000900000001") }
            try await check(error, store)
        }
    }

    @Test
    func `a production transaction is requested from production only`() async throws {
        let sale = APISale()
        try await APIStore.run(.answering { _ in try sale.answer() }) { api, store in
            let transaction = try await api.transaction(sale.id)
            #expect(transaction.environment == .production)
            #expect(try transaction.fact(source: .serverAPI).transactionID == sale.id)
            #expect(store.count(.production) == 1)
            #expect(store.count(.sandbox) == 0)
            #expect(store.calls.first?.method == "GET")
            #expect(store.calls.first?.path == "/inApps/v1/transactions/\(sale.id)")
        }
    }

    @Test(arguments: [APIStore.Answer.notFound, Self.unauthorized, APIStore.Answer(code: 4_040_005)])
    func `a transaction that production does not return is requested from the sandbox`(
        answer: APIStore.Answer
    ) async throws {
        let sale = APISale(environment: "Sandbox")
        try await APIStore.run(.answering { $0.side == .production ? answer : try sale.answer() }) { api, store in
            let transaction = try await api.transaction(sale.id)
            #expect(transaction.environment == .sandbox)
            #expect(store.count(.production) == 1)
            #expect(store.count(.sandbox) == 1)
        }
    }

    @Test
    func `a transaction unknown to both environments is not found`() async throws {
        try await Self.outcome(production: .notFound, sandbox: .notFound) { error, store in
            #expect(error?.code == .notFound)
            #expect(error?.storeStatus == 4_040_010)
            #expect(store.calls.map(\.side) == [.production, .sandbox])
        }
    }

    @Test
    func `a token that both environments refuse is a configuration error, after one call each`() async throws {
        try await Self.outcome(production: Self.unauthorized, sandbox: Self.unauthorized) { error, store in
            #expect(error?.code == .misconfigured)
            #expect(error?.storeStatus == 401)
            #expect(store.calls.map(\.side) == [.production, .sandbox])
            #expect(store.logs.lines.contains { $0.level == .error })
        }
    }

    @Test(arguments: [(Self.unauthorized, APIStore.Answer.notFound), (.notFound, Self.unauthorized)])
    func `a purchase is unknown only if both environments return that`(
        production: APIStore.Answer,
        sandbox: APIStore.Answer
    ) async throws {
        try await Self.outcome(production: production, sandbox: sandbox) { error, _ in
            #expect(error?.code == .misconfigured)
        }
    }

    @Test(arguments: [APIStore.Answer(code: 5_000_000), APIStore.Answer(code: 4_290_000), .init(code: 4_000_006)])
    func `a production failure is not skipped`(answer: APIStore.Answer) async throws {
        try await Self.outcome(production: answer, sandbox: .notFound) { error, store in
            #expect(error != nil)
            #expect(store.count(.sandbox) == 0)
        }
    }

    @Test
    func `an outage of the sandbox leaves the purchase open`() async throws {
        try await Self.outcome(production: .notFound, sandbox: APIStore.Answer(status: 503)) { error, store in
            #expect(error?.code == .unavailable)
            #expect(store.count(.production) == 1)
            #expect(store.count(.sandbox) == 3)
        }
    }
}
