import Foundation
import Stores
import Testing

@Suite
struct ServerAPISubscriptionTests {
    private static func answer(
        status: Int,
        sale: APISale = .subscription(),
        originalID: String? = nil,
        renewal: String? = nil,
        more: [String: any Sendable] = [:]
    ) throws -> APIStore.Answer {
        let subscription: [String: any Sendable] = [
            "status": status, "originalTransactionId": originalID ?? sale.originalID,
            "signedTransactionInfo": try sale.signed(), "signedRenewalInfo": try renewal ?? sale.renewal(),
        ]
        let group: [String: any Sendable] = [
            "subscriptionGroupIdentifier": "21000001", "lastTransactions": [subscription],
        ]
        var members: [String: any Sendable] = ["environment": sale.environment, "bundleId": appBundle, "data": [group]]
        members.merge(more) { $1 }
        return try APIStore.Answer(members)
    }

    private static func fact(of answer: APIStore.Answer) async throws -> StoreFact {
        let facts = Collected()
        try await APIStore.run(.answering { _ in answer }) { api, _ in
            facts.set(try await api.subscriptions(of: "2001"))
        }
        try #require(facts.list.count == 1)
        return try #require(facts.list.first)
    }

    private static func expectNone(_ answer: APIStore.Answer) async throws {
        try await APIStore.run(.answering { _ in answer }) { api, _ in
            let error = await refusal { () throws(StoreError) in _ = try await api.subscriptions(of: "2001") }
            #expect(error?.code == .unavailable)
        }
    }

    @Test
    func `an active subscription has no billing issue, and its renewal state`() async throws {
        let fact = try await Self.fact(of: try Self.answer(status: 1))
        #expect(fact.kind == .subscription)
        #expect(fact.occasion == .renewal)
        #expect(fact.willRenew == true)
        #expect(fact.billingIssue == false)
        #expect(fact.revoked == false)
        #expect(fact.expiredAt == nil)
        #expect(fact.expiresAt == APISale.start.addingTimeInterval(2_592_000))
        let cancelled = try APISale.subscription().renewal(["autoRenewStatus": 0])
        #expect(try await Self.fact(of: try Self.answer(status: 1, renewal: cancelled)).willRenew == false)
    }

    @Test
    func `an expired subscription ended with its period`() async throws {
        let fact = try await Self.fact(of: try Self.answer(status: 2))
        #expect(fact.expiredAt == APISale.start.addingTimeInterval(2_592_000))
        #expect(fact.willRenew == false)
    }

    @Test
    func `a subscription in billing retry has a billing issue and no end`() async throws {
        let renewal = try APISale.subscription().renewal(["isInBillingRetryPeriod": true])
        let fact = try await Self.fact(of: try Self.answer(status: 3, renewal: renewal))
        #expect(fact.billingIssue == true)
        #expect(fact.expiredAt == nil)
    }

    @Test
    func `a subscription in grace has the end of the grace`() async throws {
        let renewal = try APISale.subscription().renewal([
            "isInBillingRetryPeriod": true, "gracePeriodExpiresDate": APISale.milliseconds(2_800_000),
        ])
        let fact = try await Self.fact(of: try Self.answer(status: 4, renewal: renewal))
        #expect(fact.billingIssue == true)
        #expect(fact.graceEndsAt == APISale.start.addingTimeInterval(2_800_000))
        #expect(fact.expiredAt == nil)
    }

    @Test
    func `a revoked subscription is revoked`() async throws {
        #expect(try await Self.fact(of: try Self.answer(status: 5)).revoked == true)
    }

    @Test
    func `a revoked subscription with a refund is refunded`() async throws {
        var sale = APISale.subscription()
        sale.more["revocationDate"] = APISale.milliseconds(30)
        let fact = try await Self.fact(of: try Self.answer(status: 5, sale: sale))
        #expect(fact.revoked != true)
        #expect(fact.refundedMillionths == 1_000_000)
    }

    @Test
    func `renewal information of another subscription is refused`() async throws {
        var other = APISale.subscription()
        other.originalID = "2000000900000777"
        try await Self.expectNone(try Self.answer(status: 1, renewal: try other.renewal()))
    }

    @Test
    func `a transaction of another subscription than the response names is refused`() async throws {
        try await Self.expectNone(try Self.answer(status: 1, originalID: "2000000900000777"))
    }

    @Test
    func `renewal information of the other environment is refused`() async throws {
        let other = APISale.subscription(in: "Sandbox")
        try await Self.expectNone(try Self.answer(status: 1, renewal: try other.renewal()))
    }

    @Test
    func `a response about another app is refused`() async throws {
        try await Self.expectNone(try Self.answer(status: 1, more: ["bundleId": "com.example.other"]))
    }

    @Test
    func `a customer without subscriptions has none`() async throws {
        let answer = try APIStore.Answer(["environment": "Production", "bundleId": appBundle, "data": [String]()])
        try await APIStore.run(.answering { _ in answer }) { api, store in
            let facts = try await api.subscriptions(of: "2001")
            #expect(facts.isEmpty)
            #expect(store.calls.map(\.path) == ["/inApps/v1/subscriptions/2001"])
        }
    }
}
