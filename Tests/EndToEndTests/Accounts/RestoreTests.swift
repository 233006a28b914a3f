import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of POST /restore: the assets of a deleted account go to the user who proves them, and are granted
    /// once.
    @Suite struct RestoreTests {
        private let wallet: LiveWallet
        private let user: LiveUser
        private let heir: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("former")
            self.heir = try self.wallet.user("heir")
        }

        @Test(arguments: ["receipt", "signed_transactions", "app_transaction"])
        func `a proof restores remaining credits and the subscription`(member: String) async throws {
            let (pack, plan) = try await self.buyAndSpend()
            try await self.user.deleteAccount()
            let proof: JSONValue =
                switch member {
                case "receipt": .string(try await self.wallet.store.receipt(of: [pack, plan].map(\.transactionID)))
                case "app_transaction": .string(try await self.wallet.store.appTransaction(of: self.user.id))
                default: [.string(pack.signedTransaction), .string(plan.signedTransaction)]
                }
            let answer = try await self.heir.post("/restore", ["store": "app_store", member: proof])
            #expect(answer.outcome == "200")
            let remaining = answer["restored"]?.items.compactMap { $0["remaining"]?.integerValue } ?? []
            #expect(remaining.sorted() == [4, 30])
            #expect(answer["restored"]?.items.allSatisfy { $0["result"] == "restored" } == true)
            #expect(answer["subscriptions"]?.items.map { $0["status"] } == ["active"])
            let balance = try await self.heir.client.balance()
            #expect(balance.credits == 30)
            #expect(balance.visits == 4)
            #expect(try await self.heir.client.subscriptions().tier == 1)
            // Repeating the proof, or sending another proof, restores no further credits.
            _ = try await self.heir.restore(signed: [pack.signedTransaction, plan.signedTransaction])
            #expect(try await self.heir.client.balance().credits == 30)
            try await self.wallet.expectIntactBooks()
        }

        @Test func `deleted and restored ten times, nothing is minted`() async throws {
            let (pack, plan) = try await self.buyAndSpend()
            var user = self.user
            for round in 0..<10 {
                try await user.deleteAccount()
                user = try self.wallet.user("round\(round)")
                let answer = try await user.restore(signed: [pack.signedTransaction, plan.signedTransaction])
                #expect(answer.outcome == "200")
                try await self.wallet.store.deliver(self.wallet.store.messages(about: pack))
                #expect(try await user.standing().credits == 30)
                #expect(try await user.standing().visits == 4)
            }
            #expect(try await user.booked("grant") == (0, 0))
            try await self.wallet.expectIntactBooks()
        }

        @Test func `debts move with their purchases`() async throws {
            let (pack, _) = try await self.buyAndSpend()
            try await self.wallet.store.refund(pack)
            try await self.wallet.store.deliver(self.wallet.store.messages(about: pack))
            #expect(try await self.user.owed() == 20)
            try await self.user.deleteAccount()
            let app = try await self.wallet.store.appTransaction(of: self.user.id)
            _ = try await self.heir.post("/restore", ["store": "app_store", "app_transaction": .string(app)])
            #expect(try await self.heir.owed() == 20)
            #expect(try await self.heir.standing().credits == 0)
            try await self.wallet.expectIntactBooks()
        }

        @Test func `what belongs to a living user is refused`() async throws {
            let (pack, plan) = try await self.buyAndSpend()
            let before = try await self.user.standing()
            let answer = try await self.heir.restore(signed: [pack.signedTransaction, plan.signedTransaction])
            #expect(answer.outcome == "409 transaction-already-claimed")
            #expect(try await self.heir.standing() == Standing(credits: 0, visits: 0, version: 0))
            #expect(try await self.user.standing() == before)
        }

        @Test func `a request without restorable purchases returns its own refusal`() async throws {
            let app = try await self.wallet.store.appTransaction(of: self.heir.id)
            for members: [String: JSONValue] in [
                ["store": "revenuecat"], ["store": "app_store", "app_transaction": .string(app)],
            ] {
                #expect(try await self.heir.post("/restore", members).outcome == "404 no-active-subscription")
            }
        }

        @Test func `a new device finds the user's own purchases`() async throws {
            let (pack, plan) = try await self.buyAndSpend()
            let before = try await self.user.standing()
            let answer = try await self.user.restore(signed: [pack.signedTransaction, plan.signedTransaction])
            #expect(answer.outcome == "200")
            #expect(answer["restored"]?.items.map { $0["result"] } == ["held", "held"])
            #expect(try await self.user.standing() == before)
        }

        @Test func `a renewal after the deletion waits and is granted with the restored subscription`() async throws {
            let (_, plan) = try await self.buyAndSpend()
            try await self.user.deleteAccount()
            let renewal = try await self.wallet.store.change(plan, "renew")
            try await self.wallet.store.deliver(self.wallet.store.messages(about: plan))
            let answer = try await self.heir.restore(signed: [renewal.signedTransaction])
            #expect(answer.outcome == "200")
            #expect(try await self.heir.standing().visits == 8)
            #expect(try await self.heir.client.subscriptions().subscriptions.map(\.status) == ["active"])
            try await self.wallet.expectIntactBooks()
        }

        /// Buys 50 credits and a plan of 4 visits, and books a class of 20 credits that starts too soon for a free
        /// cancellation.
        private func buyAndSpend() async throws -> (pack: SandboxStore.Sale, plan: SandboxStore.Sale) {
            let pack = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            let plan = try await self.wallet.store.buy(SandboxStore.explorerPlan, for: self.user.id)
            for sale in [pack, plan] {
                #expect(try await self.user.submit(signed: sale.signedTransaction).status == 200)
            }
            let classID = try await self.wallet.makeClass(credits: 20, inDays: 0, hours: 6)
            #expect(try await self.user.book(class: classID).status == 201)
            return (pack, plan)
        }
    }
}
