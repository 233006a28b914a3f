import Foundation
import Postgres
import Testing
import WalletClient

/// Tests with stores that reported nothing: the reconciliation finds missing facts and repairs them.
@Suite(.untoldLiveWallet, .showingLog, .serialized) struct ReconcileTests {
    private let wallet: LiveWallet
    private let user: LiveUser

    init() throws {
        self.wallet = try LiveWallet.current
        self.user = try self.wallet.user("compared")
    }

    @Test func `a missed purchase is listed, then granted, then no longer a difference`() async throws {
        try await self.handIn(SandboxStore.starter)
        let pack = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
        let plan = try await self.wallet.store.buy(SandboxStore.explorerPlan, for: self.user.id)
        let play = try await self.wallet.store.buyAtPlay(SandboxStore.power, for: self.user.id)
        let missing = Set([pack, plan, play].map { "missing_grant \($0.transactionID)" })

        let reported = try await self.wallet.reconcile(self.user, isDryRun: true)
        #expect(reported.findings == missing)
        #expect(reported["differences"]?.items.count == missing.count)
        #expect(reported["repaired"] == 0)
        #expect(try await self.user.standing() == Standing(credits: 25, visits: 0, version: 1))

        let repaired = try await self.wallet.reconcile(self.user)
        #expect(repaired.findings == missing)
        #expect(repaired["repaired"] == .integer(Int64(missing.count)))
        #expect(repaired["unreachable"] == 0)
        #expect(try await self.user.standing() == Standing(credits: 275, visits: 4, version: 4))
        try await self.expectNothingMore()
    }

    @Test(arguments: ["app_store", "play_store"])
    func `a missed refund and a missed cancellation are found`(store: String) async throws {
        let pack = try await self.handIn(SandboxStore.explorer, at: store)
        let plan = try await self.handIn(SandboxStore.enthusiastPlan, at: store)
        try await self.wallet.store.refund(pack)
        try await self.wallet.store.change(plan, "cancel")

        let repaired = try await self.wallet.reconcile(self.user)
        #expect(
            repaired.findings == ["unseen_refund \(pack.transactionID)", "wrong_status \(plan.transactionID)"]
        )
        #expect(try await self.user.client.balance().credits == 0)
        #expect(try await self.user.client.subscriptions().subscriptions.map(\.willRenew) == [false])
        try await self.expectNothingMore()
    }

    @Test func `a missed refund reversal is found`() async throws {
        let pack = try await self.handIn(SandboxStore.explorer)
        try await self.wallet.store.refund(pack)
        _ = try await self.wallet.reconcile(self.user)
        #expect(try await self.user.client.balance().credits == 0)
        try await self.wallet.store.reverseRefund(pack)
        let repaired = try await self.wallet.reconcile(self.user)
        #expect(repaired.findings == ["unseen_reversal \(pack.transactionID)"])
        #expect(try await self.user.client.balance().credits == 50)
        try await self.expectNothingMore()
    }

    @Test func `what was sold before a store was enabled is no difference`() async throws {
        try await self.handIn(SandboxStore.starter)
        let pack = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
        let instants = try await self.wallet.query("SELECT store, grants_from::text AS at FROM wallet.stores")
            .map { try $0.decode((String, String).self) }
        try await self.wallet.query("UPDATE wallet.stores SET grants_from = wallet.now() + INTERVAL '1 hour'")
        let early = try await self.wallet.reconcile(self.user)
        for (store, instant) in instants {
            try await self.wallet.query(
                "UPDATE wallet.stores SET grants_from = \(instant)::timestamptz WHERE store = \(store)"
            )
        }
        #expect(early.findings.isEmpty)
        #expect(try await self.wallet.reconcile(self.user).findings == ["missing_grant \(pack.transactionID)"])
        #expect(try await self.user.client.balance().credits == 75)
    }

    @Test func `an unavailable store is listed and queried again later`() async throws {
        try await self.handIn(SandboxStore.starter)
        _ = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
        try await self.wallet.store.fail(["target": "revenuecat", "status": 500, "count": 20])
        let first = try await self.wallet.reconcile(self.user)
        #expect((first["unreachable"]?.integerValue ?? 0) >= 1)
        try await self.wallet.store.healFaults()
        _ = try await self.wallet.reconcile(self.user)
        #expect(try await self.user.client.balance().credits == 75)
        try await self.expectNothingMore()
    }

    @Test func `the command reports, stops above its maximum, repairs, and exits with 0 when done`() async throws {
        try await self.handIn(SandboxStore.starter)
        let packs = [
            try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id),
            try await self.wallet.store.buyAtPlay(SandboxStore.explorer, for: self.user.id),
        ]
        let dry = try await self.command("--dry-run")
        #expect(dry.status == 1)
        for pack in packs { #expect(dry.output.contains(pack.transactionID)) }
        #expect(dry.output.contains("missing_grant: production account"))
        #expect(!dry.output.contains(self.user.id))

        let refused = try await self.command()
        #expect(refused.status == 1)
        #expect(refused.output.contains("Nothing was repaired"))
        #expect(try await self.user.standing().credits == 25)

        let confirmed = try await self.command("--confirm")
        #expect(confirmed.status == 0, "\(confirmed.output)")
        #expect(confirmed.output.contains("2 differences, 2 repaired, 0 store calls failed"))
        #expect(try await self.user.standing().credits == 125)
        let again = try await self.command()
        #expect(again.status == 0, "\(again.output)")
        #expect(again.output.contains(" 0 differences, 0 repaired"))
    }

    @Test func `the command queries the App Store about test purchases under an extra root`() async throws {
        let token = try await self.user.client.balance().appAccountToken.uuidString.lowercased()
        let members: [String: JSONValue] = ["environment": "sandbox", "app_account_token": .string(token)]
        try await self.handIn(SandboxStore.starter, with: members)
        let pack = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id, members)
        let arguments = ["--user", self.user.id]
        let repaired = try await self.wallet.reconcileByCommand(arguments, stores: "app_store")
        #expect(repaired.status == 0, "\(repaired.output)")
        #expect(repaired.output.contains("missing_grant: sandbox account"))
        #expect(repaired.output.contains(pack.transactionID))
        await self.user.client.use(.sandbox)
        #expect(try await self.user.standing() == Standing(credits: 75, visits: 0, version: 2))
        let again = try await self.wallet.reconcileByCommand(arguments, stores: "app_store")
        #expect(again.status == 0, "\(again.output)")
    }

    private func command(_ arguments: String...) async throws -> (status: Int32, output: String) {
        try await self.wallet.reconcileByCommand(
            ["--user", self.user.id] + arguments,
            stores: "revenuecat,play_store",
            ["RECONCILE_MAXIMUM_GRANTS": "1"]
        )
    }

    /// Buys a product and submits its proof, so that the wallet knows which user to query.
    @discardableResult
    private func handIn(
        _ product: String,
        at store: String = "app_store",
        with members: [String: JSONValue] = [:]
    ) async throws -> SandboxStore.Sale {
        let sale = try await self.wallet.store.buy(
            product,
            for: self.user.id,
            members.merging(["store": .string(store)]) { $1 }
        )
        let answer =
            store == "app_store"
            ? try await self.user.submit(signed: sale.signedTransaction)
            : try await self.user.submit(playPurchase: sale, of: product)
        #expect(answer.grants.count == 1)
        return sale
    }

    private func expectNothingMore(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let again = try await self.wallet.reconcile(self.user)
        #expect(again.findings.isEmpty, sourceLocation: sourceLocation)
        #expect((again["compared"]?.integerValue ?? 0) > 0, sourceLocation: sourceLocation)
        try await self.wallet.expectIntactBooks(sourceLocation: sourceLocation)
    }
}
