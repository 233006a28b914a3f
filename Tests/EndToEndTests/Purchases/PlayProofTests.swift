import Foundation
import TestSupport
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of Google Play's purchase tokens at POST /receipts, and of its messages.
    @Suite struct PlayProofTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("player")
        }

        @Test func `a pack is granted once, then consumed at the store`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.explorer, for: self.user.id)
            let first = try await self.user.submit(playPurchase: sale, of: SandboxStore.explorer)
            #expect(first.grants == [.new(50)])
            try await eventually("the purchase is consumed") {
                try self.wallet.storesRecord(of: sale)?["consumedAt"] != nil
            }
            let again = try await self.user.submit(playPurchase: sale, of: SandboxStore.explorer)
            #expect(again.grants == [.known(50)])
            #expect(try await self.user.sync().grants == [.known(50)])
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            #expect(try await self.user.standing() == Standing(credits: 50, visits: 0, version: 1))
        }

        @Test func `a subscription is granted once, then acknowledged at the store`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.enthusiastPlan, for: self.user.id)
            let first = try await self.user.submit(playPurchase: sale, of: SandboxStore.enthusiastPlan)
            #expect(first.grants == [.new(10)])
            #expect(first["subscriptions"]?.items.map { $0["status"] } == ["active"])
            try await eventually("the subscription is acknowledged") {
                try self.wallet.storesRecord(of: sale)?["acknowledgedAt"] != nil
            }
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            let overview = try await self.user.client.subscriptions()
            #expect(overview.subscriptions.map(\.store) == ["play_store"])
            #expect(overview.tier == 2)
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 10, version: 1))
        }

        @Test func `each product of one purchase is granted once, however it is reported`() async throws {
            let packs: [String: JSONValue] = ["further_product_ids": [.string(SandboxStore.explorer)]]
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.starter, for: self.user.id, packs)
            let first = try await self.user.submit(playPurchase: sale, of: SandboxStore.explorer)
            #expect(first.grants == [.new(25), .new(50)])
            #expect(first["finish"]?.items.map { $0.stringValue } == [sale.transactionID])
            try await eventually("the purchase is consumed") {
                try self.wallet.storesRecord(of: sale)?["consumedAt"] != nil
            }
            let again = try await self.user.submit(playPurchase: sale, of: SandboxStore.starter)
            #expect(again.grants == [.known(25), .known(50)])
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            _ = try await self.user.sync()
            #expect(try await self.user.standing() == Standing(credits: 75, visits: 0, version: 2))
            try await self.wallet.store.refund(sale)
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            #expect(try await self.user.standing().credits == 0)
            #expect(try await self.user.owed() == 0)
        }

        @Test func `a subscription and its add-on are granted and renewed, once each`() async throws {
            let addOn: [String: JSONValue] = ["further_product_ids": [.string(SandboxStore.enthusiastPlan)]]
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.explorerPlan, for: self.user.id, addOn)
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            let submitted = try await self.user.submit(playPurchase: sale, of: SandboxStore.explorerPlan)
            #expect(submitted.grants == [.known(4), .known(10)])
            #expect(try await self.user.sync().grants == [.known(10), .known(4)])
            try await eventually("the subscription is acknowledged") {
                try self.wallet.storesRecord(of: sale)?["acknowledgedAt"] != nil
            }
            let overview = try await self.user.client.subscriptions()
            let plans = Set([SandboxStore.explorerPlan, SandboxStore.enthusiastPlan])
            #expect(Set(overview.subscriptions.map(\.productID)) == plans)
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 14, version: 2))
            try await self.wallet.store.change(sale, "renew")
            try await self.wallet.store.deliver(self.wallet.store.messages(about: sale))
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 28, version: 4))
        }

        @Test func `a pending purchase is granted when it is paid`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.starter, for: self.user.id, ["pending": true])
            let pending = try await self.user.submit(playPurchase: sale, of: SandboxStore.starter)
            #expect(pending.skips == ["pending"])
            #expect(pending["finish"] == [])
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))

            try await self.wallet.store.complete(sale)
            let paid = try await self.user.submit(playPurchase: sale, of: SandboxStore.starter)
            #expect(paid.grants == [.new(25)])
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 1))
        }

        @Test func `a token that is unknown or of another product is refused`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.starter, for: self.user.id)
            let dearer = try await self.user.submit(playPurchase: sale, of: SandboxStore.power)
            #expect(dearer.outcome == "422 receipt-rejected")
            let members: [String: JSONValue] = [
                "store": "play_store", "product_id": .string(SandboxStore.starter), "purchase_token": "../../nowhere",
            ]
            let unknown = try await self.user.post("/receipts", members)
            #expect(unknown.outcome == "422 receipt-rejected")
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `of two users with one token the second is answered that it is claimed`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.starter, for: self.user.id)
            #expect(try await self.user.submit(playPurchase: sale, of: SandboxStore.starter).status == 200)
            let thief = try self.wallet.user("thief")
            let answer = try await thief.submit(playPurchase: sale, of: SandboxStore.starter)
            #expect(answer.outcome == "409 transaction-already-claimed")
            #expect(try await thief.standing() == Standing(credits: 0, visits: 0, version: 0))
        }

        @Test func `a test purchase credits the sandbox wallet only`() async throws {
            let sale = try await self.wallet.store.buyAtPlay(
                SandboxStore.starter,
                for: self.user.id,
                ["environment": "sandbox"]
            )
            let answer = try await self.user.submit(playPurchase: sale, of: SandboxStore.starter)
            #expect(answer["environment"] == "sandbox")
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
        }
    }
}
