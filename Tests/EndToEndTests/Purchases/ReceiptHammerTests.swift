import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of many concurrent submissions over as many connections.
    @Suite struct ReceiptHammerTests {
        private let wallet: LiveWallet

        init() throws {
            self.wallet = try LiveWallet.current
        }

        // Guarantee: granted-once
        @Test func `200 submissions of one receipt at once grant once`() async throws {
            let user = try self.wallet.user("eager")
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
            let answers = try await concurrently(200) { _ in try await user.submit(sale.receipt) }

            // The wallet calls the store at most ten times, and every submission gets the result.
            #expect(answers.allSatisfy { $0.outcome == "200" })
            let grants = answers.compactMap { $0["granted"]?.items.first }
            #expect(grants.count == 200)
            #expect(grants.filter { $0["duplicate"] == false }.count == 1)
            #expect(Set(grants.map { $0["lot_id"]?.stringValue }).count == 1)
            #expect(try await user.standing() == Standing(credits: 50, visits: 0, version: 1))
            #expect(try await user.client.balance().lots.count == 1)
        }

        @Test func `of two users with one receipt, one owns it and the other is answered so`() async throws {
            let pair = try self.wallet.users(2, "rival")
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: pair[0].id)
            let answers = try await concurrently(20) { index in
                (user: index % 2, answer: try await pair[index % 2].submit(sale.receipt))
            }

            let outcomes = Dictionary(grouping: answers, by: \.user).mapValues { Set($0.map(\.answer.outcome)) }
            #expect(Set(outcomes.values) == [["200"], ["409 transaction-already-claimed"]])
            let owner = try #require(outcomes.first { $0.value == ["200"] }?.key)
            #expect(try await pair[owner].standing() == Standing(credits: 50, visits: 0, version: 1))
            #expect(try await pair[1 - owner].standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a receipt with another user's transaction grants the rest`() async throws {
            let pair = try self.wallet.users(2, "shared")
            let first = try await self.wallet.store.buy(SandboxStore.starter, for: pair[0].id)
            let second = try await self.wallet.store.buy(SandboxStore.explorer, for: pair[1].id)
            #expect(try await pair[0].submit(first.receipt).status == 200)
            let both = try await self.wallet.store.receipt(of: [first.transactionID, second.transactionID])

            let result = try await pair[1].client.submitReceipt(both)
            #expect(result.granted.map(\.transactionID) == [second.transactionID])
            #expect(result.skipped.map(\.reason) == ["transaction-already-claimed"])
            #expect(try await pair.asyncMap { try await $0.standing().credits } == [25, 50])
            let named = await #expect(throws: WalletProblem.self) {
                try await pair[1].client.submitReceipt(both, transactionID: first.transactionID)
            }
            #expect(named?.slug == "transaction-already-claimed")
        }

        @Test func `account tokens in a receipt identify each transaction's owner`() async throws {
            let pair = try self.wallet.users(2, "token")
            var transactions: [String] = []
            for (user, product) in zip(pair, [SandboxStore.starter, SandboxStore.explorer]) {
                let token = try await user.client.balance().appAccountToken.uuidString.lowercased()
                let sale = try await self.wallet.store.buy(product, for: user.id, ["app_account_token": .string(token)])
                transactions.append(sale.transactionID)
            }
            let receipt = try await self.wallet.store.receipt(of: transactions)

            let results = try await concurrently(2) { try await pair[$0].client.submitReceipt(receipt) }
            #expect(Set(results.flatMap { $0.granted.map(\.transactionID) }) == Set(transactions))
            #expect(results.allSatisfy { $0.granted.count == 1 && $0.skipped.count == 1 })
            #expect(try await pair.asyncMap { try await $0.standing().credits } == [25, 50])
        }
    }
}
