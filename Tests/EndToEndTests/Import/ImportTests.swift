import Foundation
import Testing
import WalletClient

/// Tests that import balances from an app's own tables: nothing is lost, and nothing counts twice.
@Suite(.untoldLiveWallet, .showingLog, .serialized) struct ImportTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test(.timeLimit(.minutes(10))) func `an app's tables, then the stores: every credit counts once`() async throws {
        let users = try HobbyAppDatabase.Generation.allCases.map { _ in try self.wallet.user("hobby") }
        let apps = try await zip(HobbyAppDatabase.Generation.allCases, users).asyncMap { generation, user in
            try await HobbyAppDatabase(generation, user: String(user.id.dropFirst(6)), in: self.wallet)
        }
        // These sales are part of the app's balances: sold before the cut-over, and known to the store.
        let packs = try await users.asyncMap { try await self.wallet.store.buy(SandboxStore.starter, for: $0.id) }
        let plays = try await users.asyncMap { try await self.wallet.store.buyAtPlay(SandboxStore.starter, for: $0.id) }
        try await Task.sleep(for: .milliseconds(2_100))
        let cutOver = try await self.wallet.store.now().addingTimeInterval(-1).formatted(.iso8601)

        for app in apps {
            let dry = try await self.importing(app, cutOver)
            #expect(dry.status == 0, "\(dry.output)")
            #expect(dry.output.contains("1 read: would import 1 and refuse 0"))
            #expect(dry.output.contains("Dry run"))
        }
        for user in users { #expect(try await user.standing() == Standing(credits: 0, visits: 0, version: 0)) }

        for app in apps {
            let applied = try await self.importing(app, cutOver, "--apply")
            #expect(applied.status == 0, "\(applied.output)")
            #expect(applied.output.contains("0 histories completed"))
        }
        for user in users { try await self.expectHistory(of: user) }
        try await self.expectNothingTwice(users, packs, plays)

        for app in apps {
            let again = try await self.importing(app, cutOver, "--apply")
            #expect(again.status == 0, "\(again.output)")
            #expect(again.output.contains("1 read, 0 imported, 1 unchanged, 0 changed, 0 refused; 0 entries"))
        }
        for user in users {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
            #expect(try await user.submit(signed: sale.signedTransaction).grants == [.new(50)])
            #expect(try await user.standing() == Standing(credits: 70, visits: 0, version: 4))
        }
        let verdict = try await self.wallet.verify(deep: true)
        #expect(verdict.status == 0, "\(verdict.output)")
    }

    /// Expects the old entries with their own times, and the old balance.
    private func expectHistory(of user: LiveUser) async throws {
        #expect(try await user.standing() == Standing(credits: 20, visits: 0, version: 3))
        let entries = try await user.client.transactions(limit: 10).items
        #expect(entries.map(\.kind) == ["import", "import", "import"])
        #expect(entries.map(\.amount) == [5, -10, 25])
        #expect(entries.map(\.balanceAfter) == [20, 15, 25])
        #expect(
            entries.map { $0.reason?.split(separator: ": ").last } == ["Class was cancelled", "Pottery", "Starter"]
        )
        #expect(
            entries.map { $0.at.formatted(.iso8601) }
                == ["2026-03-03T10:00:00Z", "2026-03-02T10:00:00Z", "2026-03-01T10:00:00Z"]
        )
    }

    /// Expects that neither a receipt nor a reconciliation grants purchases that the imported balances already
    /// include.
    private func expectNothingTwice(
        _ users: [LiveUser],
        _ packs: [SandboxStore.Sale],
        _ plays: [SandboxStore.Sale]
    ) async throws {
        for (user, pack) in zip(users, packs) {
            let answer = try await user.submit(signed: pack.signedTransaction)
            #expect(answer.grants.isEmpty)
            #expect(answer.skips == ["before-cut-over"])
        }
        for (user, play) in zip(users, plays) {
            #expect(try await user.submit(playPurchase: play, of: SandboxStore.starter).skips == ["before-cut-over"])
        }
        let reconciled = try await self.wallet.reconcileByCommand(
            ["--confirm"],
            stores: "app_store,revenuecat,play_store"
        )
        #expect(reconciled.status == 0, "\(reconciled.output)")
        #expect(reconciled.output.contains(#/[1-9]\d* compared, 0 differences, 0 repaired, 0 store calls failed/#))
        for user in users { #expect(try await user.standing() == Standing(credits: 20, visits: 0, version: 3)) }
    }

    private func importing(
        _ app: HobbyAppDatabase,
        _ cutOver: String,
        _ flags: String...
    ) async throws -> (status: Int32, output: String) {
        try await Executable.run(
            [
                "import", "--supabase-database", app.url, "--source", "hobbyapp", "--cut-over", cutOver,
                "--user-prefix", "hobby-",
            ]
                + flags,
            environment: ["DATABASE_URL": self.wallet.description.databaseURL]
        )
    }
}
