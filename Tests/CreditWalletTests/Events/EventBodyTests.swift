import Foundation
import Postgres
import Stores
import TestSupport
import Testing
import Wallet

@testable import CreditWallet

@Suite struct EventBodyTests {
    private static let common: Set = ["event_id", "user_id", "environment", "version"]
    private static let movement = common.union([
        "unit", "amount", "balance_after", "store", "transaction_id", "product_id", "lot_id",
    ])
    private static let booking = common.union([
        "booking_id", "class_id", "class_title", "starts_at", "seats", "unit", "amount",
    ])
    private static let subscription = common.union([
        "store", "product_id", "status", "tier", "period_start", "period_end", "grace_period_ends_at", "will_renew",
    ])

    private static func fact(_ id: String, _ product: String, at now: Date) -> StoreFact {
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: id,
            storeProductID: product,
            kind: product == StoreBench.plan ? .subscription : .oneTime,
            purchasedAt: now,
            source: .receipt,
            sourceAt: now
        )
        if product == StoreBench.plan {
            fact.originalTransactionID = id
            fact.periodType = .normal
            fact.expiresAt = now.addingTimeInterval(30 * 86_400)
        }
        return fact
    }

    /// Buys, books, cancels and refunds for one user.
    private func live(_ user: UserID, on bench: EventBench) async throws {
        for store in ["app_store"] {
            try await bench.wallet.enableStore(store, grantsFrom: Date(timeIntervalSince1970: 1_600_000_000))
        }
        let now = try await bench.wallet.now()
        var pack = Self.fact("1000", StoreBench.starter, at: now)
        _ = try await bench.wallet.apply(pack, submittedBy: user)
        _ = try await bench.wallet.apply(Self.fact("2000", StoreBench.plan, at: now), submittedBy: user)
        try await bench.give([-5], to: user.rawValue)
        pack.refundedMillionths = 1_000_000
        pack.refundedAt = now.addingTimeInterval(1)
        pack.sourceAt = now.addingTimeInterval(1)
        _ = try await bench.wallet.apply(pack, submittedBy: user)
    }

    @Test(.database) func `bodies have the documented members, times in RFC 3339`() async throws {
        try await EventBench.run { bench in
            try await self.live(UserID(rawValue: "ann"), on: bench)
            try await bench.send(bench.dispatcher(), until: 5)

            let messages = bench.receiver.messages
            let types = Set(messages.map(\.type))
            #expect(types.isSuperset(of: ["credits.granted", "credits.refunded", "subscription.started"]), "\(types)")
            for message in messages {
                #expect(Set(message.json.keys) == ["type", "timestamp", "data"])
                let time = try #require(message.json["timestamp"] as? String)
                #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
                let members = Set(message.data.keys)
                switch message.type.split(separator: ".").first {
                case "credits": #expect(members == Self.movement, "\(message.type)")
                case "booking": #expect(members.isSuperset(of: Self.booking), "\(message.type)")
                case "subscription": #expect(members == Self.subscription, "\(message.type)")
                default: #expect(members.isSuperset(of: Self.common), "\(message.type)")
                }
                #expect(message.data["user_id"] as? String == "ann")
                #expect(message.data["environment"] as? String == "production")
                for name in ["period_start", "period_end", "starts_at"] {
                    guard let time = message.data[name] as? String else { continue }
                    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(message.type) \(name)")
                }
            }
            let reversed = try #require(messages.first { $0.type == "credits.refunded" })
            #expect(reversed.data["transaction_id"] as? String == "1000")
            #expect(reversed.data["amount"] as? Int == -25)
        }
    }

    // Guarantee: erased
    @Test(.database) func `no event names a user whose account was deleted before it went out`() async throws {
        try await EventBench.run { bench in
            let user = UserID(rawValue: "a-user-who-goes-away")
            try await self.live(user, on: bench)
            try await bench.wallet.deleteAccount(of: user)
            try await bench.send(bench.dispatcher(), until: 5)

            let messages = bench.receiver.messages
            #expect(messages.count >= 5)
            #expect(messages.allSatisfy { $0.data["user_id"] is NSNull })
            #expect(messages.allSatisfy { !$0.body.contains(user.rawValue) })
        }
    }
}
