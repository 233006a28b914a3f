import Foundation
import HTTPTypes
import Stores
import Synchronization
import Testing

/// Tests of the error code and the number of attempts for each failure of the store.
@Suite
struct ServerAPIErrorTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let answer: APIStore.Answer
        let code: StoreError.Code
        let status: Int
        let calls: Int

        var testDescription: String { "HTTP \(self.answer.status), \(self.status)" }
    }

    private static func row(_ code: Int, _ expected: StoreError.Code, calls: Int) -> Row {
        Row(answer: APIStore.Answer(code: code), code: expected, status: code, calls: calls)
    }

    private static func row(status: Int, body: String = "", _ expected: StoreError.Code, calls: Int) -> Row {
        Row(answer: APIStore.Answer(status: status, body: body), code: expected, status: status, calls: calls)
    }

    private static let table = [
        Self.row(4_040_002, .unavailable, calls: 3),
        Self.row(4_040_004, .unavailable, calls: 3),
        Self.row(4_040_006, .unavailable, calls: 3),
        Self.row(5_000_000, .unavailable, calls: 3),
        Self.row(5_000_001, .unavailable, calls: 3),
        Self.row(status: 500, .unavailable, calls: 3),
        Self.row(status: 502, body: "<html></html>", .unavailable, calls: 3),
        Self.row(status: 503, .unavailable, calls: 3),
        Self.row(4_290_000, .rateLimited, calls: 1),
        Self.row(status: 429, .rateLimited, calls: 1),
        Self.row(4_000_006, .rejected, calls: 1),
        Self.row(4_000_185, .rejected, calls: 1),
        Self.row(4_000_187, .rejected, calls: 1),
        Self.row(4_030_000, .rejected, calls: 1),
        Self.row(4_040_003, .rejected, calls: 1),
        Self.row(status: 404, body: "<html></html>", .unavailable, calls: 3),
        Self.row(status: 400, .unavailable, calls: 3),
        Self.row(status: 418, .unavailable, calls: 3),
    ]

    @Test(arguments: Self.table)
    private func `each failure has its own error code`(row: Row) async throws {
        try await APIStore.run(.answering { _ in row.answer }) { api, store in
            let error = await refusal { () throws(StoreError) in _ = try await api.transaction("2001") }
            #expect(error?.code == row.code)
            #expect(error?.storeStatus == row.status)
            #expect(store.count(.production) == row.calls)
            #expect(store.count(.sandbox) == 0)
            #expect((error?.retryAfter != nil) == (row.code == .unavailable || row.code == .rateLimited))
        }
    }

    @Test(arguments: [4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001])
    func `a temporary failure is retried`(code: Int) async throws {
        let sale = APISale()
        let failures = Mutex(2)
        try await APIStore.run(
            answering: { _ in
                let fails = failures.withLock { count in
                    count -= 1
                    return count >= 0
                }
                return fails ? APIStore.Answer(code: code) : try sale.answer()
            },
            check: { api, store in
                let transaction = try await api.transaction(sale.id)
                #expect(transaction.environment == .production)
                #expect(store.count(.production) == 3)
            }
        )
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is not a valid response`(status: Int) async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { call in
                guard call.side == .production, !call.path.contains("elsewhere") else { return try sale.answer() }
                return APIStore.Answer(status: status, headers: [.location: "/sandbox/elsewhere"])
            },
            check: { api, store in
                let error = await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
                #expect(error?.code == .unavailable)
                // Only 303 makes the client send another request with a new method; its response is ignored.
                if status != 303 { #expect(store.count(.sandbox) == 0) }
            }
        )
    }

    @Test
    func `an answer beyond the size limit is none`() async throws {
        let sale = APISale()
        try await APIStore.run(
            answering: { _ in
                var answer = try sale.answer()
                answer.body += String(repeating: " ", count: 20_000)
                return answer
            },
            change: { $0.limits.maximumResponseBytes = 20_000 },
            check: { api, _ in
                let error = await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
                #expect(error?.code == .unavailable)
            }
        )
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"signedTransactionInfo":7}"#, #"{"signedTransactionInfo":null}"#,
        #"{"signedTransactionInfo":"a.b.c"}"#, "<html><body>Bad gateway</body></html>",
    ])
    func `a response of another format is invalid, and the store is queried again later`(body: String) async throws {
        try await APIStore.run(.answering { _ in APIStore.Answer(body: body) }) { api, _ in
            let errors = [
                await refusal { () throws(StoreError) in _ = try await api.transaction("2001") },
                await refusal { () throws(StoreError) in _ = try await api.subscriptions(of: "2001") },
                await refusal { () throws(StoreError) in _ = try await api.history(of: "2001") },
            ]
            for error in errors {
                #expect(error?.code == .unavailable)
                #expect(error?.retryAfter != nil)
            }
        }
    }

    @Test
    func `ids, tokens and responses are not logged`() async throws {
        let sale = APISale(bundleID: "com.example.other")
        try await APIStore.run(.answering { _ in try sale.answer() }) { api, store in
            _ = await refusal { () throws(StoreError) in _ = try await api.transaction(sale.id) }
            let token = try #require(store.calls.first?.authorization).dropFirst(7)
            #expect(!store.logs.lines.isEmpty)
            for secret in [sale.id, String(token), try sale.signed(), "com.example.other"] {
                #expect(!store.logs.lines.contains { $0.text.contains(secret) })
            }
        }
    }
}
