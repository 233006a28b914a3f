import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of every App Store proof that POST /receipts accepts, and of RevenueCat's data.
    @Suite struct ProofTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("prover")
        }

        // Guarantee: granted-once
        @Test func `one purchase proved in every way is granted once`() async throws {
            let sale = try await self.buy()
            let first = try await self.user.submit(signed: sale.signedTransaction)
            #expect(first.grants == [.new(50)])
            #expect(first["finish"] == .array([.string(sale.transactionID)]))
            let id = try await self.user.submit(transactionID: sale.transactionID)
            #expect(id.grants == [.known(50)])
            #expect(try await self.user.submit(sale.receipt).grants == [.known(50)])
            #expect(try await self.user.sync().grants == [.known(50)])
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            #expect(try await self.user.standing() == Standing(credits: 50, visits: 0, version: 1))
        }

        @Test func `a transaction id is granted to the account named in the purchase`() async throws {
            let sale = try await self.buy()
            let answer = try await self.user.submit(transactionID: sale.transactionID)
            #expect(answer.grants == [.new(50)])
            #expect(try await self.user.standing() == Standing(credits: 50, visits: 0, version: 1))
        }

        @Test func `a bare transaction id without the caller's token proves nothing`() async throws {
            let other = try await self.wallet.user("other").client.balance().appAccountToken.uuidString
            let unnamed = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            let foreign = try await self.wallet.store.buy(
                SandboxStore.explorer,
                for: self.user.id,
                ["app_account_token": .string(other)]
            )
            for id in [unnamed.transactionID, foreign.transactionID, "2000000000000000"] {
                let answer = try await self.user.submit(transactionID: id)
                #expect(answer.outcome == "403 proof-of-purchase-required")
            }
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `RevenueCat's data alone grants purchases, and only to their buyer`() async throws {
            let pack = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            let plan = try await self.wallet.store.buy(SandboxStore.explorerPlan, for: self.user.id)
            let answer = try await self.user.sync()
            #expect(Set(answer["finish"]?.items ?? []) == [.string(pack.transactionID), .string(plan.transactionID)])
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 4, version: 2))
            #expect(try await self.wallet.user("stranger").sync().outcome == "422 no-purchase-found")
        }

        @Test func `a quantity that RevenueCat does not report is added from the App Store's data`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id, ["quantity": 3])
            #expect(try await self.user.sync().grants == [.new(25)])
            #expect(try await self.user.submit(signed: sale.signedTransaction).grants == [.known(75)])
            #expect(try await self.user.standing() == Standing(credits: 75, visits: 0, version: 2))
            #expect(try await self.user.client.balance().lots.count == 1)
        }

        @Test(arguments: ["signed_transaction", "receipt"])
        func `a transaction that nobody signed is refused as such`(member: String) async throws {
            let answer = try await self.user.post(
                "/receipts",
                ["store": "app_store", member: ["transactionId": "1", "productId": .string(SandboxStore.power)]]
            )
            #expect(answer.outcome == "400 unsigned-transaction")
        }

        @Test func `a signed transaction with another payload, signature or header is refused`() async throws {
            let parts = try await self.buy().signedTransaction.split(separator: ".").map(String.init)
            let dearer = try await self.wallet.store.buy(SandboxStore.power, for: "somebody").signedTransaction
            let others = dearer.split(separator: ".").map(String.init)
            let forgeries = [
                [parts[0], others[1], parts[2]], [parts[0], parts[1], others[2]],
                [parts[0], parts[1], String(parts[2].dropLast(4)) + "AAAA"], [parts[0], parts[1], ""],
                ["eyJhbGciOiJub25lIn0", others[1], ""], [parts[0], parts[1]],
            ]
            for forgery in forgeries {
                let answer = try await self.user.submit(signed: forgery.joined(separator: "."))
                #expect([400, 422].contains(answer.status), "\(answer.outcome)")
            }
            let swapped = try await self.user.submit(signed: forgeries[0].joined(separator: "."))
            #expect(swapped.outcome == "422 receipt-rejected")
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a notification is not accepted as a transaction`() async throws {
            let sale = try await self.buy()
            let message = try #require(try await self.wallet.store.messages(about: sale, from: "app_store").first)
            let body = try JSONDecoder().decode([String: String].self, from: Data(message.body.utf8))
            let answer = try await self.user.submit(signed: try #require(body["signedPayload"]))
            #expect([400, 422].contains(answer.status), "\(answer.outcome)")
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a signed transaction of another app is refused`() async throws {
            let sale = try await self.wallet.store.buy(
                SandboxStore.explorer,
                for: self.user.id,
                ["bundle_id": "com.example.other"]
            )
            #expect(try await self.user.submit(signed: sale.signedTransaction).outcome == "422 wrong-app")
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `the second of two users with one signed transaction gets the claimed refusal`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            #expect(try await self.user.submit(signed: sale.signedTransaction).status == 200)
            let thief = try self.wallet.user("thief")
            let answer = try await thief.submit(signed: sale.signedTransaction)
            #expect(answer.outcome == "409 transaction-already-claimed")
            let named = try await thief.submit(signed: try await self.buy().signedTransaction)
            #expect(named.outcome == "403 account-token-mismatch")
            #expect(try await thief.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a family-shared purchase grants nothing`() async throws {
            let sale = try await self.wallet.store.buy(
                SandboxStore.enthusiastPlan,
                for: self.user.id,
                ["ownership": "family_shared"]
            )
            #expect(try await self.user.submit(signed: sale.signedTransaction).skips == ["family-shared"])
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a sandbox purchase raises the sandbox wallet alone, however it is reported`() async throws {
            let sale = try await self.buy(["environment": "sandbox"])
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            for answer in [
                try await self.user.submit(signed: sale.signedTransaction),
                try await self.user.submit(transactionID: sale.transactionID), try await self.user.sync(),
            ] {
                #expect(answer["environment"] == "sandbox")
                #expect(answer.grants == [.known(50)])
            }
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
            await self.user.client.use(.sandbox)
            #expect(try await self.user.standing() == Standing(credits: 50, visits: 0, version: 1))
        }

        /// Buys 50 credits with the user's own account token.
        private func buy(_ members: [String: JSONValue] = [:]) async throws -> SandboxStore.Sale {
            let token = try await self.user.client.balance().appAccountToken.uuidString.lowercased()
            return try await self.wallet.store.buy(
                SandboxStore.explorer,
                for: self.user.id,
                members.merging(["app_account_token": .string(token)]) { $1 }
            )
        }
    }
}
