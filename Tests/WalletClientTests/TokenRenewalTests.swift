import Foundation
import HTTPTypes
import Synchronization
import Testing
import WalletClient

/// Tests of the client's behavior when the wallet rejects a token.
@Suite(.timeLimit(.minutes(10)))
struct TokenRenewalTests {
    /// A provider that returns one token after the other, and then always the last one.
    private final class Tokens: Sendable {
        private let left: Mutex<[String]>
        init(_ tokens: String...) { self.left = Mutex(tokens) }
        @Sendable func next() -> String { self.left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    private static let refusal = WalletServer.Answer(
        status: .unauthorized,
        headers: [.contentType: "application/problem+json"],
        body: #"{"type":"https://example.com/problems/unauthenticated","title":"No","status":401}"#
    )
    private static let packs = WalletServer.Answer(body: #"{"packs":[]}"#)

    private func authorization(_ server: WalletServer) -> [String?] {
        server.seen.map { $0.headers[.authorization] }
    }

    @Test
    func `a rejected token is renewed once, even for requests without retries`() async throws {
        let gone = WalletServer.Answer(status: .noContent, body: "")
        let tokens = Tokens("old", "new")
        try await WalletServer.run([Self.refusal, gone], token: tokens.next) { wallet, server async throws in
            try await wallet.deleteAccount()
            #expect(self.authorization(server) == ["Bearer old", "Bearer new"])
        }
    }

    @Test
    func `a second rejection is thrown to the caller`() async throws {
        let tokens = Tokens("one", "two", "three")
        try await WalletServer.run([Self.refusal], token: tokens.next) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.book(classID: "pottery") }
            #expect(problem.slug == .unauthenticated)
            #expect(self.authorization(server) == ["Bearer one", "Bearer two"])
            let name = try #require(HTTPField.Name("Idempotency-Key"))
            let keys = server.seen.compactMap { $0.headers[name] }
            #expect(keys.count == 2 && Set(keys).count == 1)
        }
    }

    @Test
    func `an unchanged token is not sent again, and public lists carry none`() async throws {
        try await WalletServer.run([Self.refusal]) { wallet, server async throws in
            await #expect(throws: WalletProblem.self) { try await wallet.balance() }
            #expect(server.seen.count == 1)
            await #expect(throws: WalletProblem.self) { try await wallet.packs() }
            #expect(self.authorization(server) == ["Bearer token-of-ann", nil])
        }
    }

    @Test
    func `an error of the token provider is thrown to the caller`() async throws {
        struct SignedOut: Error {}
        let asked = Mutex(0)
        let provider: WalletClient.TokenProvider = {
            let count = asked.withLock {
                $0 += 1
                return $0
            }
            if count > 1 { throw SignedOut() }
            return "old"
        }
        try await WalletServer.run([Self.refusal], token: provider) { wallet, server async throws in
            await #expect(throws: SignedOut.self) { try await wallet.balance() }
            #expect(server.seen.count == 1)
        }
    }

    @Test
    func `a stream whose token is rejected is reopened with a new one`() async throws {
        let balance =
            #"{"user_id":"ann","app_account_token":"0193fe00-0000-4000-8000-000000000003","environment":"production","#
            + #""credits":5,"visits":0,"unlimited":false,"owed_credits":0,"owed_visits":0,"version":2,"lots":[],"#
            + #""upcoming_expirations":[],"next_rollover_at":null,"as_of":"2026-11-21T01:31:00Z"}"#
        let event = WalletServer.Answer(
            headers: [.contentType: "text/event-stream"],
            body: "event: balance\ndata: \(balance)\n\n"
        )
        let tokens = Tokens("old", "new")
        try await WalletServer.run([Self.refusal, event, Self.refusal], token: tokens.next) {
            wallet,
            server async throws in
            var seen: [Int64] = []
            await #expect(throws: WalletProblem.self) {
                for try await balance in wallet.balances() { seen.append(balance.credits) }
            }
            #expect(seen == [5])
            #expect(self.authorization(server) == ["Bearer old", "Bearer new", "Bearer new"])
        }
    }
}
