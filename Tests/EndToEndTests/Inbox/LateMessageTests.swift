import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of messages that arrive late, twice and in the wrong order; the final books do not depend on the
    /// order.
    @Suite struct LateMessageTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("late")
        }

        @Test func `a refund reported before its purchase leaves no credits`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            try await self.wallet.store.refund(sale)
            let messages = try await self.wallet.store.messages(about: sale)
            #expect(
                Set(messages.map(\.type)) == ["ONE_TIME_CHARGE", "NON_RENEWING_PURCHASE", "REFUND", "CANCELLATION"]
            )
            try await self.wallet.store.deliver(messages.reversed() + messages)
            #expect(try await self.user.client.balance().credits == 0)
            #expect(try await self.user.owed() == 0)
            #expect(try await self.user.client.purchases().items.map(\.status) == ["refunded"])
            #expect(try await self.user.submit(signed: sale.signedTransaction).skips == ["refunded"])
            try await self.wallet.expectIntactBooks()
        }

        @Test func `a refund that only the App Store reports waits for RevenueCat's purchase`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            try await self.wallet.store.refund(sale, percentage: 40)
            let messages = try await self.wallet.store.messages(about: sale)
            try await self.wallet.store.deliver(messages.filter { $0.type == "REFUND" })
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
            try await self.wallet.store.deliver(messages.filter { $0.type == "NON_RENEWING_PURCHASE" })
            #expect(try await self.user.client.balance().credits == 30)
            try await self.wallet.store.deliver(messages)
            #expect(try await self.user.client.balance().credits == 30)
        }

        // Guarantee: subscriptions-true
        @Test func `a subscription's life reported backwards, by both, twice, ends as it is`() async throws {
            let store = self.wallet.store
            let sale = try await store.buy(SandboxStore.enthusiastPlan, for: self.user.id)
            try await store.change(sale, "cancel")
            try await store.change(sale, "uncancel")
            try await store.change(sale, "billing-issue", ["grace_days": 16])
            try await store.change(sale, "recover")
            try await store.change(sale, "cancel")
            let messages = try await store.messages(about: sale)
            try await store.deliver(messages.reversed() + messages.shuffled())

            let told = try await self.user.client.subscriptions()
            #expect(told.subscriptions.map(\.status) == ["active"])
            #expect(told.subscriptions.map(\.willRenew) == [false])
            #expect(told.entitlements["premium"]?.isInGracePeriod == false)
            #expect(try await self.user.booked("grant") == (2, 20))
            try await self.wallet.expectIntactBooks()
        }

        @Test func `a transfer moves the subscription and no credits`() async throws {
            let store = self.wallet.store
            let heir = try self.wallet.user("heir")
            let pack = try await store.buy(SandboxStore.starter, for: self.user.id)
            let plan = try await store.buy(SandboxStore.enthusiastPlan, for: self.user.id)
            try await store.change(plan, "transfer", ["to_user_id": .string(heir.id)])
            let transfers = try await store.messages(from: self.user, to: heir)
            try await store.deliver(store.messages(about: pack) + store.messages(about: plan) + transfers)

            #expect(try await self.user.client.subscriptions().subscriptions.isEmpty)
            #expect(try await heir.client.subscriptions().tier == 2)
            #expect(try await self.user.standing().credits == 25)
            #expect(try await heir.standing().credits == 0)
            try await self.wallet.expectIntactBooks()
        }

        @Test func `a message about an unknown anonymous user waits and changes nothing`() async throws {
            let sale = try await self.wallet.store.buy(
                SandboxStore.starter,
                for: "$RCAnonymousID:\(UUID().uuidString.lowercased())"
            )
            let messages = try await self.wallet.store.messages(about: sale)
            try await self.wallet.store.deliver(messages)
            for message in messages { #expect(try await self.wallet.fate(of: message.id) == "awaiting_user") }
            #expect(try await self.user.submit(signed: sale.signedTransaction).grants == [.new(25)])
            #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 1))
        }
    }
}

extension SandboxStore {
    /// Returns RevenueCat's messages about a transfer from one user to another.
    fileprivate func messages(from user: LiveUser, to heir: LiveUser) async throws -> [StoreMessage] {
        try await self.messages().filter { message in
            message.type == "TRANSFER" && message.body.contains(user.id) && message.body.contains(heir.id)
        }
    }
}
