import Foundation
import Postgres
import StoreSync
import Stores
import TestSupport
import Testing
import Wallet

@Suite struct ReconcilerTests {
    /// Returns each reported difference with its transaction.
    private static func found(_ report: ReconciliationReport) -> [String] {
        report.differences.map { "\($0.difference.rawValue) \($0.transactionID)" }.sorted()
    }

    @Test(.database) func `a missed purchase is found once and granted once`() async throws {
        try await StoreBench.run { bench in
            let user = UUID().uuidString.lowercased()
            _ = try await bench.buy(for: user)
            try await bench.applyRevenueCat(of: user)
            let missed = try await bench.buy(for: user, ["app_account_token": user])
            #expect(try await bench.credits(of: user) == "25")

            // RevenueCat and the App Store both report the purchase.
            let report = try await bench.reconciler().run(ReconciliationRequest())
            #expect(Self.found(report) == ["missing_grant \(missed.transactionID)"])
            #expect(report.repaired == 1)
            #expect(report.unreachable == 0)
            #expect(try await bench.credits(of: user) == "50")

            let again = try await bench.reconciler().run(ReconciliationRequest())
            #expect(again.compared == report.compared)
            #expect(again.differences.isEmpty)
            #expect(try await bench.credits(of: user) == "50")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `quantities that RevenueCat cannot prove are added from the App Store's data`() async throws {
        try await StoreBench.run { bench in
            let sale = try await bench.buy(for: "ann", ["quantity": 3])
            try await bench.applyRevenueCat(of: "ann")
            #expect(try await bench.credits(of: "ann") == "25")

            let report = try await bench.reconciler().run(ReconciliationRequest())
            #expect(Self.found(report) == ["missing_amount \(sale.transactionID)"])
            #expect(try await bench.credits(of: "ann") == "75")
            #expect(try await bench.reconciler().run(ReconciliationRequest()).differences.isEmpty)
        }
    }

    @Test(.database, arguments: ["app_store", "play_store"])
    func `a missed refund is taken back, and granted again when it is reversed`(source: String) async throws {
        try await StoreBench.run { bench in
            let sale = try await bench.buy(for: "ann", ["store": source == "play_store" ? "play_store" : "app_store"])
            try await bench.applyRevenueCat(of: "ann")
            #expect(try await bench.credits(of: "ann") == "25")
            if source == "play_store" {
                // RevenueCat does not have Google Play's token; the app submits it.
                let fact = try await bench.playFact(of: sale)
                _ = try await bench.wallet.apply(fact, submittedBy: UserID(rawValue: "ann"))
                #expect(try await bench.credits(of: "ann") == "25")
            }
            let reconciler = try bench.reconciler([StoreName(rawValue: source)], revenueCat: false)

            try await bench.control("transactions/\(sale.transactionID)/refund")
            let refund = try await reconciler.run(ReconciliationRequest())
            #expect(refund.differences.map(\.difference) == [.unseenRefund])
            #expect(try await bench.credits(of: "ann") == "0")
            #expect(try await reconciler.run(ReconciliationRequest()).differences.isEmpty)

            guard source == "app_store" else { return }
            try await bench.control("clock", ["advance_seconds": 60])
            try await bench.control("transactions/\(sale.transactionID)/refund-reverse")
            let reversal = try await reconciler.run(ReconciliationRequest())
            #expect(reversal.differences.map(\.difference) == [.unseenReversal])
            #expect(try await bench.credits(of: "ann") == "25")
        }
    }

    @Test(.database, arguments: [true, false])
    func `a subscription is corrected: cancelled, renewed, ended`(byRevenueCat: Bool) async throws {
        try await StoreBench.run { bench in
            let sale = try await bench.buy(StoreBench.plan, for: "ann")
            try await bench.applyRevenueCat(of: "ann")
            // RevenueCat does not report which subscription a transaction belongs to.
            _ = try await bench.reconciler([.appStore], revenueCat: false).run(ReconciliationRequest())
            let reconciler = try bench.reconciler(byRevenueCat ? [] : [.appStore], revenueCat: byRevenueCat)
            let steps: [(String, Int, Difference, String)] = [
                ("cancel", 60, .wrongStatus, "active f"), ("uncancel", 60, .wrongStatus, "active t"),
                ("renew", 30 * 86_400, .missingGrant, "active t"), ("expire", 31 * 86_400, .wrongStatus, "expired f"),
            ]
            for (step, seconds, difference, state) in byRevenueCat ? steps.prefix(2) : steps[...] {
                try await bench.control("clock", ["advance_seconds": seconds])
                try await bench.control("subscriptions/\(sale.originalTransactionID)/\(step)")
                let report = try await reconciler.run(ReconciliationRequest())
                #expect(report.differences.contains { $0.difference == difference }, "\(step)")
                #expect(report.repaired == report.differences.count)
                #expect(try await reconciler.run(ReconciliationRequest()).differences.isEmpty, "\(step) again")
                let now = try await bench.text(
                    "SELECT concat(s.status, ' ', s.will_renew) AS text FROM wallet.subscription_states AS s"
                )
                #expect(now == state, "\(step)")
            }
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a store outage is counted and delays no other store`() async throws {
        try await StoreBench.run { bench in
            _ = try await bench.buy(for: "ann")
            try await bench.applyRevenueCat(of: "ann")
            let missed = try await bench.buy(for: "ann")
            try await bench.control("faults", ["target": "server_api", "status": 503, "count": 1_000])

            let report = try await bench.reconciler().run(ReconciliationRequest())
            #expect(Self.found(report) == ["missing_grant \(missed.transactionID)"])
            #expect(report.unreachable > 0)
            #expect(try await bench.credits(of: "ann") == "50")
        }
    }

    @Test(.database) func `one App Store customer is queried once`() async throws {
        try await StoreBench.run { bench in
            for _ in 0..<4 { _ = try await bench.buy(for: "ann") }
            try await bench.applyRevenueCat(of: "ann")

            let report = try await bench.reconciler(revenueCat: false).run(ReconciliationRequest())
            #expect(report.compared == 4)
        }
    }
}
