import Foundation
import HTTPTypes
import Synchronization
import Testing
import WalletClient

/// Tests of the transactions that the app finishes in the store's queue.
@Suite
struct StoreTransactionTests {
    private final class Sold: StoreTransaction {
        let id = "1"
        let signedTransaction = "a.b.c"
        let finished = Mutex(0)
        func finish() async { self.finished.withLock { $0 += 1 } }
    }

    private func answer(skipped: String? = nil, finish: String) -> WalletServer.Answer {
        let skipped = skipped.map { #"{"transaction_id":"1","reason":"\#($0)"}"# } ?? ""
        return WalletServer.Answer(
            body: #"""
                {"granted":[],"skipped":[\#(skipped)],"subscriptions":[],
                "balance":{"credits":25,"visits":0,"version":1},"environment":"production","finish":[\#(finish)]}
                """#
        )
    }

    private func problem(_ status: Int, _ slug: String) -> WalletServer.Answer {
        WalletServer.Answer(
            status: .init(code: status),
            headers: [.contentType: "application/problem+json", .retryAfter: "0"],
            body: #"{"type":"https://example.com/problems/\#(slug)","title":"No","status":\#(status)}"#
        )
    }

    @Test
    func `a transaction that the wallet decided is finished once`() async throws {
        let sold = Sold()
        try await WalletServer.run([self.answer(skipped: "refunded", finish: #""7","1""#)]) {
            wallet,
            server async throws in
            let result = try await wallet.submit(sold)
            #expect(result.skipped.map(\.reason) == [.refunded])
            #expect(server.seen.count == 1)
            let body = try JSONDecoder().decode([String: JSONValue].self, from: Data(server.seen[0].body.utf8))
            #expect(body == ["signed_transaction": "a.b.c", "store": "app_store"])
        }
        #expect(sold.finished.withLock { $0 } == 1)
    }

    @Test
    func `a transaction whose result may change is kept`() async throws {
        let sold = Sold()
        let answers = [self.answer(skipped: "pending", finish: ""), self.answer(finish: #""11""#)]
        try await WalletServer.run(answers) { wallet, _ async throws in
            #expect(try await wallet.submit(sold).skipped.map(\.reason) == [.pending])
            _ = try await wallet.submit(sold)
        }
        #expect(sold.finished.withLock { $0 } == 0)
    }

    @Test(arguments: [(403, "account-token-mismatch"), (422, "wrong-app"), (503, "verification-unavailable")])
    func `a refused transaction is kept`(status: Int, slug: String) async throws {
        let sold = Sold()
        try await WalletServer.run([self.problem(status, slug)]) { wallet, _ async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.submit(sold) }
            #expect(problem.slug.rawValue == slug)
        }
        #expect(sold.finished.withLock { $0 } == 0)
    }

    @Test
    func `a transaction granted to another user is finished and reported`() async throws {
        let sold = Sold()
        try await WalletServer.run([self.problem(409, "transaction-already-claimed")]) { wallet, _ async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.submit(sold) }
            #expect(problem.slug == .transactionAlreadyClaimed)
        }
        #expect(sold.finished.withLock { $0 } == 1)
    }
}
