import Foundation
import Testing
import WalletClient

/// Tests of a store that is slow, broken or receives forged data.
///
/// The tests share one store, so they run one after the other.
@Suite(.untoldLiveWallet, .showingLog, .serialized) struct StoreTroubleTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test(
        arguments: [
            ["status": 500], ["status": 503], ["kind": "html"], ["kind": "truncated"], ["kind": "reset"],
            ["status": 21_005], ["status": 21_009], ["status": 21_199, "is_retryable": true],
        ] as [[String: JSONValue]]
    )
    func `a store failure costs nothing, and the same receipt is granted once afterwards`(
        fault: [String: JSONValue]
    ) async throws {
        try await self.expectRecovery(fault.merging(["count": 3]) { $1 })
    }

    @Test(.timeLimit(.minutes(10))) func `a store that hangs is given up in bounded time`() async throws {
        let took = try await ContinuousClock().measure {
            try await self.expectRecovery(["kind": "hang", "count": 3])
        }
        #expect(took < .seconds(40))
    }

    @Test(arguments: [["status": 500], ["status": 21_002], ["kind": "truncated"]] as [[String: JSONValue]])
    func `one failure is retried without the user noticing`(fault: [String: JSONValue]) async throws {
        let user = try self.wallet.user("lucky")
        let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
        try await self.wallet.store.fail(fault.merging(["count": 1]) { $1 })
        #expect(try await user.submit(sale.receipt).status == 200)
        #expect(try await user.standing() == Standing(credits: 50, visits: 0, version: 1))
    }

    @Test func `21002 twice is a permanent rejection`() async throws {
        let user = try self.wallet.user("doubtful")
        let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
        try await self.wallet.store.fail(["status": 21_002, "count": 2])
        let before = try await self.wallet.store.calls()
        for _ in 0..<3 {
            let answer = try await user.submit(sale.receipt)
            #expect(answer.outcome == "422 receipt-rejected")
            #expect(answer["store_status"] == 21_002)
        }
        #expect(try await self.wallet.store.calls() == before + 2)
        #expect(try await user.standing() == Standing(credits: 0, visits: 0, version: 0))
    }

    @Test func `a receipt of another app, or without the named purchase, is refused`() async throws {
        let user = try self.wallet.user("astray")
        let other = try await self.wallet.store.buy(
            SandboxStore.explorer,
            for: user.id,
            ["bundle_id": "com.example.other", "separate": true]
        )
        #expect(try await user.submit(other.receipt).outcome == "422 wrong-app")
        let own = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id, ["separate": true])
        let body = #"{"store":"app_store","receipt":"\#(own.receipt)","transaction_id":"1"}"#
        #expect(try await user.send(.post, "/receipts", body: body).outcome == "422 no-purchase-found")
        #expect(try await user.standing() == Standing(credits: 0, visits: 0, version: 0))
    }

    @Test func `1000 forged receipts leave the breaker closed and do not block other users`() async throws {
        let forgers = try self.wallet.users(100, "forger")
        let honest = try self.wallet.users(20, "honest")
        let sales = try await honest.asyncMap { try await self.wallet.store.buy(SandboxStore.starter, for: $0.id) }

        async let forged = concurrently(100) { number in
            try await (0...10).asyncMap { try await forgers[number].submit(Self.forgery(number, $0)) }
        }
        let granted = try await concurrently(20) { try await honest[$0].submit(sales[$0].receipt) }
        let answers = try await forged
        let refused = answers.flatMap { $0.prefix(10) }

        #expect(refused.count == 1_000)
        #expect(refused.allSatisfy { $0.outcome == "422 receipt-rejected" && $0["store_status"] == 21_003 })
        #expect(granted.allSatisfy { $0.status == 200 })
        #expect(try await honest.asyncMap { try await $0.standing().credits } == Array(repeating: 25, count: 20))
        #expect(answers.allSatisfy { $0[10].outcome == "429 rate-limited" })
        #expect(try await forgers[0].standing().version == 0)
        try await self.wallet.expectIntactBooks()
    }

    @Test func `a restore that the store cannot answer loses nothing`() async throws {
        let former = try self.wallet.user("former")
        let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: former.id, ["separate": true])
        #expect(try await former.submit(sale.receipt).status == 200)
        try await former.deleteAccount()
        let heir = try self.wallet.user("heir")
        let proof: [String: JSONValue] = ["store": "app_store", "receipt": .string(sale.receipt)]
        try await self.wallet.store.fail(["status": 500, "count": 3])

        let refused = try await heir.post("/restore", proof)
        #expect(refused.outcome == "503 verification-unavailable")
        #expect((refused.retryAfter ?? 0) >= 1)
        try await self.wallet.store.healFaults()
        #expect(try await heir.post("/restore", proof).status == 200)
        #expect(try await heir.standing().credits == 50)
    }

    private static func forgery(_ user: Int, _ number: Int) -> String {
        Data("forged receipt \(user) \(number)".utf8).base64EncodedString()
    }

    /// Expects a receipt to be refused because of the store, to change nothing, and to be granted once afterwards.
    private func expectRecovery(_ fault: [String: JSONValue]) async throws {
        let user = try self.wallet.user("patient")
        try await self.wallet.give(5, to: user)
        let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
        let before = try await user.standing()
        try await self.wallet.store.fail(fault)

        let answer = try await user.submit(sale.receipt)
        #expect(answer.outcome == "503 verification-unavailable")
        #expect((answer.retryAfter ?? 0) >= 1)
        #expect(try await user.standing() == before)
        try await self.wallet.store.healFaults()
        #expect(try await user.submit(sale.receipt)["granted"]?.items.map { $0["duplicate"] } == [false])
        #expect(try await user.submit(sale.receipt)["granted"]?.items.map { $0["duplicate"] } == [true])
        #expect(try await user.standing() == Standing(credits: 55, visits: 0, version: 2))
    }
}
