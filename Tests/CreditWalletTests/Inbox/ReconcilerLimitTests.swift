import Foundation
import Postgres
import StoreSync
import Stores
import TestSupport
import Testing
import Wallet

@Suite struct ReconcilerLimitTests {
    /// Gives each user a reported purchase, which makes the user known, and another that was not reported.
    private func missed(_ users: [String], on bench: StoreBench) async throws {
        for user in users {
            _ = try await bench.buy(for: user)
            try await bench.applyRevenueCat(of: user)
            _ = try await bench.buy(for: user)
        }
    }

    @Test(.database) func `a dry run and too many missing grants change nothing`() async throws {
        try await StoreBench.run { bench in
            try await self.missed(["ann", "bob", "cid"], on: bench)
            let reconciler = try bench.reconciler()
            let before = try await bench.books()

            let dry = try await reconciler.run(ReconciliationRequest(isDryRun: true))
            #expect(dry.differences.count == 3)
            #expect(dry.repaired == 0)
            #expect(!dry.needsConfirmation)
            #expect(try await bench.books() == before)

            let held = try await reconciler.run(ReconciliationRequest(maximumGrants: 2))
            #expect(held.differences.count == 3)
            #expect(held.repaired == 0)
            #expect(held.needsConfirmation)
            #expect(try await bench.books() == before)

            let confirmed = try await reconciler.run(ReconciliationRequest(maximumGrants: 2, isConfirmed: true))
            #expect(confirmed.repaired == 3)
            #expect(!confirmed.needsConfirmation)
            #expect(try await bench.credits(of: "cid") == "50")
        }
    }

    @Test(.database) func `only the given user is compared, even without any report`() async throws {
        try await StoreBench.run { bench in
            try await self.missed(["ann", "bob"], on: bench)
            _ = try await bench.buy(for: "cid")
            let reconciler = try bench.reconciler()

            let ann = try await reconciler.run(ReconciliationRequest(user: UserID(rawValue: "ann")))
            #expect(ann.repaired == 1)
            #expect(try await bench.credits(of: "ann") == "50")
            #expect(try await bench.credits(of: "bob") == "25")
            let cid = try await reconciler.run(ReconciliationRequest(user: UserID(rawValue: "cid")))
            #expect(cid.repaired == 1)
            #expect(try await bench.credits(of: "cid") == "25")
        }
    }

    @Test(.database) func `only purchases reported since then, or still active, are compared`() async throws {
        try await StoreBench.run { bench in
            try await self.missed(["ann"], on: bench)
            _ = try await bench.buy(StoreBench.plan, for: "bob")
            try await bench.applyRevenueCat(of: "bob")
            _ = try await bench.reconciler(revenueCat: false).run(ReconciliationRequest(user: UserID(rawValue: "bob")))
            let now = try await bench.wallet.now()

            let later = try await bench.reconciler(revenueCat: false).run(
                ReconciliationRequest(since: now.addingTimeInterval(86_400), isDryRun: true)
            )
            // The subscription is active beyond that time, so its history and its status are compared.
            #expect(later.compared == 2)
            #expect(later.differences.isEmpty)
            let all = try await bench.reconciler().run(ReconciliationRequest(since: now.addingTimeInterval(-3_600)))
            #expect(all.repaired == 1)
        }
    }

    @Test(.database) func `purchases before the store's start date are no difference`() async throws {
        try await StoreBench.run { bench in
            try await self.missed(["ann"], on: bench)
            try await bench.query("UPDATE wallet.stores SET grants_from = wallet.now() + INTERVAL '1 day'")

            let report = try await bench.reconciler().run(ReconciliationRequest())
            #expect(report.compared > 0)
            #expect(report.differences.isEmpty)
            #expect(try await bench.credits(of: "ann") == "25")
        }
    }

    @Test(.database) func `accounts beyond the first page are compared`() async throws {
        try await StoreBench.run { bench in
            for number in 1...52 {
                let fact = StoreFact(
                    store: .appStore,
                    environment: .production,
                    transactionID: "other-\(number)",
                    storeProductID: StoreBench.starter,
                    kind: .oneTime,
                    purchasedAt: Date.now,
                    source: .receipt,
                    sourceAt: Date.now
                )
                _ = try await bench.wallet.apply(fact, submittedBy: UserID(rawValue: "user-\(number)"))
            }
            _ = try await bench.buy(for: "user-52")

            let report = try await bench.reconciler([]).run(ReconciliationRequest())
            #expect(report.repaired == 1)
            #expect(try await bench.credits(of: "user-52") == "50")
        }
    }

    @Test(.database) func `a merged account is queried under both names`() async throws {
        try await StoreBench.run { bench in
            let ann = UserID(rawValue: "ann")
            let nobody = UserID(rawValue: "nobody")
            try await bench.wallet.admit(Caller(nobody, issuedAt: .now, isAnonymous: true))
            try await self.missed(["nobody"], on: bench)
            try await bench.wallet.merge(nobody, into: ann)
            #expect(try await bench.credits(of: "ann") == "25")

            let report = try await bench.reconciler([]).run(ReconciliationRequest(user: ann))
            #expect(report.repaired == 1)
            #expect(try await bench.credits(of: "ann") == "50")
        }
    }
}
