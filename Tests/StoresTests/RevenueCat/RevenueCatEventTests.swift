import Foundation
import Stores
import Testing

@Suite
struct RevenueCatEventTests {
    private let webhook = RevenueCatWebhook()
    private let toldAt = Date(timeIntervalSince1970: 1_790_000_000)
    private let periodEnd = Date(timeIntervalSince1970: 1_792_500_000)

    private func event(_ type: String, _ changes: [String: (any Sendable)?] = [:]) throws -> StoreEvent {
        try self.webhook.event(from: try RevenueCatPost.purchase(type, changes))
    }

    private func fact(_ type: String, _ changes: [String: (any Sendable)?] = [:]) throws -> StoreFact {
        try #require(try self.event(type, changes).statements.first).fact
    }

    @Test
    func `a first purchase is a paid period with all its identifiers`() throws {
        let event = try self.event("INITIAL_PURCHASE")
        #expect(event.source == .revenueCat)
        #expect(event.id == "evt-1")
        #expect(event.type == "INITIAL_PURCHASE")
        #expect(event.ignored == nil)
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: "2000",
            storeProductID: "com.example.plan.monthly",
            kind: .subscription,
            purchasedAt: Date(timeIntervalSince1970: 1_789_900_000),
            source: .notification,
            sourceAt: self.toldAt
        )
        fact.originalTransactionID = "1000"
        fact.expiresAt = self.periodEnd
        fact.periodType = .normal
        fact.willRenew = true
        fact.billingIssue = false
        fact.occasion = .renewal
        #expect(event.statements == [.init(fact: fact, owners: ["ann", "$RCAnonymousID:1", "anna"])])
    }

    @Test
    func `each product of a subscription with add-ons is a statement with its own end`() throws {
        let items: [[String: any Sendable]] = [
            ["product_id": "base:monthly", "type": "base", "expiration_at_ms": 1_792_500_000_000],
            ["product_id": "addon", "type": "addon", "expiration_at_ms": 1_792_600_000_000],
        ]
        let changes: [String: (any Sendable)?] = [
            "store": "PLAY_STORE", "transaction_id": "GPA.1", "product_id": "base", "items": items,
        ]
        let bought = try self.event("INITIAL_PURCHASE", changes)
        #expect(bought.statements.map(\.fact.storeProductID) == ["base:monthly", "addon"])
        #expect(bought.statements.allSatisfy { $0.fact.purchaseProducts == ["base:monthly", "addon"] })
        #expect(
            bought.statements.map(\.owners) == [
                ["ann", "$RCAnonymousID:1", "anna"], ["ann", "$RCAnonymousID:1", "anna"],
            ]
        )
        #expect(bought.statements.map(\.fact.transactionID) == ["GPA.1", "GPA.1"])
        let ends = [self.periodEnd, self.periodEnd.addingTimeInterval(100_000)]
        #expect(bought.statements.map(\.fact.expiresAt) == ends)
        let expired = try self.event("EXPIRATION", changes)
        #expect(expired.statements.map(\.fact.expiredAt) == ends)
        #expect(expired.statements.map(\.fact.expiresAt) == [nil, nil])
        let other = try self.event("PRODUCT_CHANGE", changes.merging(["product_id": "gold"]) { $1 })
        #expect(other.statements.map(\.fact.storeProductID) == ["gold", "base:monthly", "addon"])
        #expect(other.statements.first?.fact.purchaseProducts == nil)
    }

    @Test
    func `a list of one product adds nothing to the event, and an unreadable list is an error`() throws {
        let one: [[String: any Sendable]] = [["product_id": "com.example.plan.monthly", "type": "base"]]
        let event = try self.event("RENEWAL", ["items": one])
        #expect(event.statements.map(\.fact.purchaseProducts) == [nil])
        #expect(throws: StoreError.self) { _ = try self.event("RENEWAL", ["items": [["type": "base"]]]) }
        #expect(throws: StoreError.self) { _ = try self.event("RENEWAL", ["items": "base"]) }
        let many = (0...100).map { ["product_id": "com.example.\($0)"] }
        #expect(throws: StoreError.self) { _ = try self.event("RENEWAL", ["items": many]) }
        #expect(try self.event("RENEWAL", ["items": Array(many.dropLast())]).statements.count >= 100)
    }

    @Test
    func `owners are the last user id, then the first one, then the aliases`() throws {
        let event = try self.event(
            "RENEWAL",
            ["app_user_id": "c", "original_app_user_id": "a", "aliases": ["b", "a", "c", "", "b"]]
        )
        #expect(event.statements.first?.owners == ["c", "a", "b"])
    }

    @Test(arguments: ["INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "REFUND_REVERSED"])
    func `only proofs of payment are not pending`(type: String) throws {
        #expect(try self.fact(type).pending == false)
    }

    @Test(arguments: [
        "CANCELLATION", "UNCANCELLATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "EXPIRATION", "PRODUCT_CHANGE",
        "SUBSCRIPTION_EXTENDED",
    ])
    func `events without a proof of payment are pending`(type: String) throws {
        let fact = try self.fact(type)
        #expect(fact.pending)
        #expect(fact.kind == .subscription)
        #expect(fact.transactionID == "2000")
    }

    @Test(arguments: [
        ("INITIAL_PURCHASE", true), ("RENEWAL", true), ("CANCELLATION", true), ("UNCANCELLATION", true),
        ("PRODUCT_CHANGE", true), ("SUBSCRIPTION_EXTENDED", true), ("NON_RENEWING_PURCHASE", false),
        ("BILLING_ISSUE", false), ("SUBSCRIPTION_PAUSED", false), ("EXPIRATION", false), ("REFUND_REVERSED", true),
    ])
    func `the period's end is used only for events that have it`(type: String, isAttestedByStore: Bool) throws {
        #expect(try self.fact(type).expiresAt == (isAttestedByStore ? self.periodEnd : nil))
    }

    @Test
    func `a renewal turns auto-renewal on and ends a billing issue`() throws {
        let fact = try self.fact("RENEWAL", ["is_trial_conversion": true])
        #expect(fact.willRenew == true)
        #expect(fact.billingIssue == false)
        #expect(fact.occasion == .renewal)
        #expect(try self.fact("RENEWAL", ["period_type": "PREPAID"]).willRenew == false)
    }

    @Test
    func `a one-time purchase has no period and no renewal`() throws {
        let fact = try self.fact("NON_RENEWING_PURCHASE", ["expiration_at_ms": nil])
        #expect(fact.kind == .oneTime)
        #expect(fact.periodType == nil)
        #expect(fact.willRenew == nil)
        #expect(fact.quantity == 1)
    }

    @Test(arguments: ["UNSUBSCRIBE", "BILLING_ERROR", "DEVELOPER_INITIATED", "PRICE_INCREASE", "UNKNOWN"])
    func `a cancellation turns auto-renewal off and refunds nothing`(reason: String) throws {
        let changes = ["cancel_reason": reason]
        #expect(try self.event("CANCELLATION", changes).type == "CANCELLATION.\(reason)")
        let fact = try self.fact("CANCELLATION", changes)
        #expect(fact.willRenew == false)
        #expect(fact.refundedMillionths == nil)
        #expect(fact.occasion == .cancellation)
    }

    @Test
    func `a cancellation by customer support is a full refund`() throws {
        let fact = try self.fact("CANCELLATION", ["cancel_reason": "CUSTOMER_SUPPORT", "price": -9.99])
        #expect(fact.refundedMillionths == 1_000_000)
        #expect(fact.refundedAt == self.toldAt)
        #expect(fact.willRenew == nil)
        #expect(fact.occasion == .refund)
        #expect(fact.kind == .subscription)
    }

    @Test
    func `a refund without a period refunds a one-time purchase`() throws {
        let changes: [String: (any Sendable)?] = ["cancel_reason": "CUSTOMER_SUPPORT", "expiration_at_ms": nil]
        #expect(try self.fact("CANCELLATION", changes).kind == .oneTime)
        #expect(try self.fact("REFUND_REVERSED", ["expiration_at_ms": nil]).kind == .oneTime)
        let trial = changes.merging(["period_type": "TRIAL"]) { $1 }
        #expect(try self.fact("CANCELLATION", trial).kind == .subscription)
    }

    @Test
    func `a reversed refund resets the refund to zero`() throws {
        let fact = try self.fact("REFUND_REVERSED")
        #expect(fact.refundedMillionths == 0)
        #expect(fact.refundedAt == nil)
        #expect(fact.occasion == .refund)
    }

    @Test
    func `an uncancellation turns auto-renewal on`() throws {
        let fact = try self.fact("UNCANCELLATION")
        #expect(fact.willRenew == true)
        #expect(fact.occasion == .uncancellation)
    }

    @Test
    func `a billing issue has the grace period of the event`() throws {
        let fact = try self.fact("BILLING_ISSUE", ["grace_period_expiration_at_ms": 1_793_000_000_000])
        #expect(fact.billingIssue == true)
        #expect(fact.graceEndsAt == Date(timeIntervalSince1970: 1_793_000_000))
        #expect(fact.occasion == .billingIssue)
        #expect(try self.fact("BILLING_ISSUE").graceEndsAt == nil)
    }

    @Test
    func `a pause ends nothing, and the following expiration reports the pause`() throws {
        let pause = try self.fact("SUBSCRIPTION_PAUSED")
        #expect(pause.paused == true)
        #expect(pause.expiredAt == nil)
        let end = try self.fact("EXPIRATION", ["expiration_reason": "SUBSCRIPTION_PAUSED"])
        #expect(end.paused == true)
        #expect(end.expiredAt == self.periodEnd)
    }

    @Test
    func `an expiration reports its time and leaves other flags open`() throws {
        let changes = ["expiration_reason": "BILLING_ERROR"]
        #expect(try self.event("EXPIRATION", changes).type == "EXPIRATION.BILLING_ERROR")
        let fact = try self.fact("EXPIRATION", changes)
        #expect(fact.expiredAt == self.periodEnd)
        #expect(fact.billingIssue == nil)
        #expect(fact.paused == nil)
        #expect(fact.occasion == .expiration)
    }

    @Test
    func `a product change identifies the old product's purchase only`() throws {
        let fact = try self.fact("PRODUCT_CHANGE", ["new_product_id": "com.example.plan.yearly"])
        #expect(fact.storeProductID == "com.example.plan.monthly")
        #expect(fact.willRenew == nil)
        #expect(fact.occasion == nil)
    }

    @Test(arguments: [
        ("TRIAL", StoreFact.PeriodType.trial), ("INTRO", .intro), ("PROMOTIONAL", .promotional), ("PREPAID", .prepaid),
        ("NORMAL", .normal), ("SOMETHING_NEW", .normal),
    ])
    func `a period's type is read, an unknown type counts as normal`(name: String, type: StoreFact.PeriodType) throws {
        #expect(try self.fact("INITIAL_PURCHASE", ["period_type": name]).periodType == type)
    }

    @Test(arguments: ["INITIAL_PURCHASE", "RENEWAL", "REFUND_REVERSED"])
    func `a period without a type may be a trial, so it is unreadable`(type: String) throws {
        #expect(self.webhook.unreadable(try RevenueCatPost.purchase(type, ["period_type": nil])) == .unreadable)
    }

    @Test
    func `a purchase years in the future is unreadable, a renewal at the end of a year is not`() throws {
        func bought(after seconds: Int) throws -> Data {
            let milliseconds = (Int(self.toldAt.timeIntervalSince1970) + seconds) * 1_000
            return try RevenueCatPost.purchase("RENEWAL", ["purchased_at_ms": milliseconds])
        }
        #expect(self.webhook.unreadable(try bought(after: 366 * 86_400)) == nil)
        #expect(self.webhook.unreadable(try bought(after: 401 * 86_400)) == .unreadable)
    }

    @Test(arguments: [
        ("APP_STORE", "app_store"), ("MAC_APP_STORE", "app_store"), ("PLAY_STORE", "play_store"), ("STRIPE", "stripe"),
        ("RC_BILLING", "rc_billing"), ("SOMETHING_NEW", "something_new"),
    ])
    func `the store is that of the sale`(name: String, store: String) throws {
        #expect(try self.fact("RENEWAL", ["store": name]).store == StoreName(rawValue: store))
    }

    @Test
    func `a purchase of Google Play is identified by its orders`() throws {
        let renewal: [String: (any Sendable)?] = [
            "store": "PLAY_STORE", "transaction_id": "GPA.1-2-3..5", "original_transaction_id": "GPA.1-2-3..0",
            "product_id": "plan:monthly",
        ]
        let fact = try self.fact("RENEWAL", renewal)
        #expect(fact.transactionID == "GPA.1-2-3..5")
        #expect(fact.orderID == "GPA.1-2-3..5")
        #expect(fact.originalTransactionID == "GPA.1-2-3")
        #expect(fact.storeProductID == "plan:monthly")
        let unnamed = renewal.merging(["original_transaction_id": nil]) { $1 }
        #expect(try self.fact("RENEWAL", unnamed).originalTransactionID == "GPA.1-2-3")
    }

    @Test
    func `family sharing and the sandbox are reported`() throws {
        let fact = try self.fact("INITIAL_PURCHASE", ["is_family_share": true, "environment": "SANDBOX"])
        #expect(fact.ownership == .familyShared)
        #expect(fact.environment == .sandbox)
    }

    @Test
    func `numbers may have a zero fraction or be text, ids may be numbers`() throws {
        let fact = try self.fact(
            "RENEWAL",
            [
                "transaction_id": 1_000_000_652_379_790, "original_transaction_id": 12,
                "purchased_at_ms": "1789900000000", "expiration_at_ms": 1_792_500_000_000.0,
            ]
        )
        #expect(fact.transactionID == "1000000652379790")
        #expect(fact.originalTransactionID == "12")
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_789_900_000))
        #expect(fact.expiresAt == self.periodEnd)
    }

    @Test
    func `a report from the future counts as made on arrival`() throws {
        let fact = try self.fact("CANCELLATION", ["event_timestamp_ms": 78_789_789_798_798])
        #expect(fact.sourceAt == webhookArrival)
        let skewed = webhookArrival.addingTimeInterval(200)
        let near = try self.fact("CANCELLATION", ["event_timestamp_ms": Int(skewed.timeIntervalSince1970) * 1_000])
        #expect(near.sourceAt == skewed)
    }
}
