import Foundation
import Logging
import Stores
import Testing

/// Tests of paged lists: the history and the refunds.
@Suite
struct ServerAPIHistoryTests {
    private static func page(
        _ sales: [APISale],
        next revision: String? = nil,
        more: [String: any Sendable] = [:]
    ) throws -> APIStore.Answer {
        var members: [String: any Sendable] = [
            "signedTransactions": try sales.map { try $0.signed() }, "hasMore": revision != nil,
        ]
        members["revision"] = revision ?? "last"
        members.merge(more) { $1 }
        return try APIStore.Answer(members)
    }

    private static func sale(_ number: Int, in environment: String = "Production") -> APISale {
        APISale(id: "200\(number)", originalID: "200\(number)", environment: environment)
    }

    @Test
    func `all pages are read from the environment of the first one`() async throws {
        try await APIStore.run(
            answering: { call in
                guard call.side == .sandbox else { return .notFound }
                switch call.path {
                case "/inApps/v2/history/2001":
                    return try Self.page([Self.sale(1, in: "Sandbox"), Self.sale(2, in: "Sandbox")], next: "r/1&x")
                case "/inApps/v2/history/2001?revision=r%2F1%26x":
                    return try Self.page([Self.sale(3, in: "Sandbox")], next: "r2")
                case "/inApps/v2/history/2001?revision=r2":
                    return try Self.page([])
                default: return APIStore.Answer(code: 4_000_006)
                }
            },
            check: { api, store in
                let facts = try await api.history(of: "2001")
                #expect(facts.map(\.transactionID) == ["2001", "2002", "2003"])
                #expect(facts.allSatisfy { $0.source == .serverAPI && $0.environment == .sandbox })
                #expect(store.count(.production) == 1)
                #expect(store.count(.sandbox) == 3)
            }
        )
    }

    @Test
    func `subscriptions are snapshots in the history`() async throws {
        try await APIStore.run(.answering { _ in try Self.page([.subscription()]) }) { api, _ in
            let history = try await api.history(of: "2001")
            #expect(history.map(\.occasion) == [.renewal])
        }
    }

    @Test(arguments: [nil, "same", ""])
    func `endless pages are an error`(revision: String?) async throws {
        try await APIStore.run(
            answering: { _ in
                var members: [String: any Sendable] = ["signedTransactions": [String](), "hasMore": true]
                members["revision"] = revision
                return try APIStore.Answer(members)
            },
            check: { api, store in
                let error = await refusal { () throws(StoreError) in _ = try await api.history(of: "2001") }
                #expect(error?.code == .unavailable)
                #expect(store.calls.count <= 2)
            }
        )
    }

    @Test
    func `the number of pages is bounded`() async throws {
        try await APIStore.run(
            answering: { call in try Self.page([], next: "r\(call.path.count)\(call.path.suffix(2))") },
            change: { $0.maximumPages = 4 },
            check: { api, store in
                let error = await refusal { () throws(StoreError) in _ = try await api.history(of: "2001") }
                #expect(error?.code == .unavailable)
                #expect(store.calls.count <= 4)
            }
        )
    }

    @Test(arguments: [["bundleId": "com.example.other"], ["environment": "Sandbox"], ["environment": "Xcode"]])
    func `a page of another app or environment is refused`(members: [String: String]) async throws {
        try await APIStore.run(.answering { _ in try Self.page([Self.sale(1)], more: members) }) { api, _ in
            let error = await refusal { () throws(StoreError) in _ = try await api.history(of: "2001") }
            #expect(error?.code == .unavailable)
        }
    }

    @Test
    func `a transaction of an unknown type does not hide others`() async throws {
        let strange = APISale(id: "2009", type: "Lifetime Lease")
        try await APIStore.run(.answering { _ in try Self.page([Self.sale(1), strange, Self.sale(2)]) }) { api, store in
            let history = try await api.history(of: "2001")
            #expect(history.map(\.transactionID) == ["2001", "2002"])
            #expect(store.logs.lines.contains { $0.level == .warning && $0.text.contains("could not be read") })
        }
    }

    @Test
    func `one transaction of the other environment makes the page invalid`() async throws {
        let sales = [Self.sale(1), Self.sale(2, in: "Sandbox")]
        try await APIStore.run(.answering { _ in try Self.page(sales) }) { api, _ in
            let error = await refusal { () throws(StoreError) in _ = try await api.history(of: "2001") }
            #expect(error?.code == .unavailable)
        }
    }
}
