import Foundation
import TestSupport
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of a subscription that its owner buys again in Google Play, outside the app.
    @Suite struct ResubscriptionTests {
        private let wallet: LiveWallet

        init() throws {
            self.wallet = try LiveWallet.current
        }

        @Test(arguments: [true, false])
        func `a resubscription outside the app goes to its owner and is acknowledged`(namesAccount: Bool) async throws {
            let user = try self.wallet.user("returns")
            let account: [String: JSONValue] = namesAccount ? ["app_account_token": .string(user.id.uppercased())] : [:]
            let sale = try await self.wallet.store.buyAtPlay(SandboxStore.explorerPlan, for: user.id, account)
            #expect(try await user.submit(playPurchase: sale, of: SandboxStore.explorerPlan).grants == [.new(4)])
            try await self.wallet.store.change(sale, "expire")

            let again = try await self.wallet.store.change(sale, "resubscribe")
            #expect(again.purchaseToken != sale.purchaseToken)
            // RevenueCat's message would name the owner, so only Google Play's message is delivered.
            for message in try await self.wallet.store.messages(about: again, from: "google_play") {
                try await self.wallet.store.deliver(message)
            }
            try await eventually("the new period is granted") {
                try await user.booked("grant") == (2, 8)
            }
            try await eventually("the new subscription is acknowledged") {
                try self.wallet.storesRecord(of: again)?["acknowledgedAt"] != nil
            }
            #expect(try await user.client.subscriptions().subscriptions.contains { $0.status == .active })
        }
    }
}
