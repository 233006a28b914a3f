import Foundation
import Stores
import Synchronization
import Testing

@Suite(.serialized)
struct GooglePlaySubscriptionTests {
    private static let start = Date(timeIntervalSince1970: 1_785_542_400)
    private static let expiry = Date(timeIntervalSince1970: 1_793_491_200)

    private static func answer(
        _ state: String = "ACTIVE",
        order: String? = "GPA.1",
        changes: [String: (any Sendable)?] = [:],
        item itemChanges: [String: (any Sendable)?] = [:]
    ) throws -> String {
        var item: [String: (any Sendable)?] = [
            "productId": "plan", "expiryTime": "2026-11-01T00:00:00Z", "latestSuccessfulOrderId": order,
            "autoRenewingPlan": ["autoRenewEnabled": true], "offerDetails": ["basePlanId": "monthly"],
        ]
        item.merge(itemChanges) { $1 }
        var answer: [String: (any Sendable)?] = [
            "subscriptionState": "SUBSCRIPTION_STATE_\(state)", "startTime": "2026-08-01T00:00:00.000000000Z",
            "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING",
            "lineItems": [item.compactMapValues { $0 }],
        ]
        answer.merge(changes) { $1 }
        return try JSONSerialization.text(answer.compactMapValues { $0 })
    }

    private static func fact(_ answer: String, renewedAt: Date? = nil) async throws -> StoreFact {
        let facts = Mutex<[StoreFact]>([])
        try await GooglePlayServer.run(body: answer) { _, api in
            let told = try await api.subscription(token: "tok", renewedAt: renewedAt)
            facts.withLock { $0 = told }
        }
        return try #require(facts.withLock { $0.first })
    }

    @Test
    func `an active subscription is reported with its order, its chain and its plan`() async throws {
        let fact = try await Self.fact(
            Self.answer(
                changes: [
                    "linkedPurchaseToken": "old",
                    "externalAccountIdentifiers": [
                        "obfuscatedExternalAccountId": "0f1e2d3c-4b5a-4968-8776-655443322110"
                    ],
                ]
            )
        )
        #expect(fact.kind == .subscription)
        #expect(fact.environment == .production)
        #expect(fact.transactionID == "GPA.1")
        #expect(fact.originalTransactionID == "GPA.1")
        #expect(fact.purchaseToken == "tok")
        #expect(fact.linkedPurchaseToken == "old")
        #expect(fact.storeProductID == "plan:monthly")
        #expect(fact.purchasedAt == Self.start)
        #expect(fact.expiresAt == Self.expiry)
        #expect(fact.willRenew == true)
        #expect(fact.billingIssue == false)
        #expect(fact.pending == false)
        #expect(fact.needsAcknowledgement == true)
        #expect(fact.periodType == .normal)
        #expect(fact.occasion == .renewal)
        #expect(fact.appAccountToken != nil)
    }

    @Test(arguments: [
        ("GPA.1", 12, 12, 1, 12), ("GPA.1..0", 12, 12, 2, 12), ("GPA.1..10", 12, 12, 12, 12),
        ("GPA.1..11", 12, 12, 1, 12), ("GPA.1..11", 12, 3, 1, 3), ("GPA.1..13", 12, 3, 3, 3),
        ("GPA.1..14", 12, 3, 1, 3), ("GPA.1..11", 12, 0, 1, 12), ("GPA.1..22", 12, 0, 12, 12),
    ])
    func `a payment of an installment plan has its number in the commitment`(
        order: String,
        first: Int,
        later: Int,
        period: Int,
        periods: Int
    ) async throws {
        var details: [String: any Sendable] = ["initialCommittedPaymentsCount": first]
        if later > 0 { details["subsequentCommittedPaymentsCount"] = later }
        let plan: [String: any Sendable] = ["autoRenewEnabled": true, "installmentDetails": details]
        let fact = try await Self.fact(Self.answer(order: order, item: ["autoRenewingPlan": plan]))
        #expect(fact.commitment == StoreFact.Commitment(period: period, of: periods))
        #expect(fact.commitmentRenews == true)
    }

    @Test
    func `a cancelled installment plan is paid until its end`() async throws {
        let details: [String: any Sendable] = [
            "initialCommittedPaymentsCount": 12, "pendingCancellation": [String: String](),
        ]
        let plan: [String: any Sendable] = ["autoRenewEnabled": true, "installmentDetails": details]
        let fact = try await Self.fact(Self.answer(item: ["autoRenewingPlan": plan]))
        #expect(fact.willRenew == true)
        #expect(fact.commitmentRenews == false)
        #expect(try await Self.fact(Self.answer()).commitment == nil)
        #expect(try await Self.fact(Self.answer()).commitmentRenews == nil)
    }

    @Test(arguments: ["expiredExternalAccountIdentifiers", "expiredExternalAccountIdentifier"])
    func `a subscription bought again outside the app names the expired one and its account`(
        member: String
    ) async throws {
        let account = UUID()
        let context: [String: any Sendable] = [
            "expiredPurchaseToken": "expired",
            member: ["obfuscatedExternalAccountId": account.uuidString],
        ]
        let fact = try await Self.fact(Self.answer(changes: ["outOfAppPurchaseContext": context]))
        #expect(fact.linkedPurchaseToken == "expired")
        #expect(fact.appAccountToken == account)
        #expect(fact.needsAcknowledgement == true)
    }

    @Test
    func `a purchase's own data overrides that of the expired one`() async throws {
        let account = UUID()
        let changes: [String: (any Sendable)?] = [
            "linkedPurchaseToken": "replaced",
            "externalAccountIdentifiers": ["obfuscatedExternalAccountId": account.uuidString],
            "outOfAppPurchaseContext": [
                "expiredPurchaseToken": "expired",
                "expiredExternalAccountIdentifiers": ["obfuscatedExternalAccountId": UUID().uuidString],
            ] as [String: any Sendable],
        ]
        let fact = try await Self.fact(Self.answer(changes: changes))
        #expect(fact.linkedPurchaseToken == "replaced")
        #expect(fact.appAccountToken == account)
        let bare = try await Self.fact(Self.answer(changes: ["outOfAppPurchaseContext": [String: String]()]))
        #expect(bare.linkedPurchaseToken == nil && bare.appAccountToken == nil)
    }

    @Test
    func `in a grace period the expiry is the end of the grace`() async throws {
        let fact = try await Self.fact(Self.answer("IN_GRACE_PERIOD"))
        #expect(fact.expiresAt == nil)
        #expect(fact.graceEndsAt == Self.expiry)
        #expect(fact.billingIssue == true)
        #expect(fact.pending == false)
    }

    @Test
    func `each state is reported`() async throws {
        let past = Date(timeIntervalSince1970: 1_788_998_400)
        let over: [String: (any Sendable)?] = ["expiryTime": "2026-09-10T00:00:00Z"]
        let hold = try await Self.fact(Self.answer("ON_HOLD", item: over))
        #expect(hold.billingIssue == true)
        #expect(hold.expiresAt == past)
        let paused = try await Self.fact(Self.answer("PAUSED", item: over))
        #expect(paused.paused == true)
        #expect(paused.expiresAt == past)
        let canceled = try await Self.fact(Self.answer("CANCELED"))
        #expect(canceled.willRenew == false)
        #expect(canceled.expiresAt == Self.expiry)
        let expired = try await Self.fact(Self.answer("EXPIRED", item: over))
        #expect(expired.expiredAt == past)
        #expect(expired.expiresAt == past)
    }

    @Test(arguments: ["ON_HOLD", "PAUSED", "EXPIRED"])
    func `a state without access ends the period despite a later expiry`(state: String) async throws {
        #expect(try await Self.fact(Self.answer(state)).expiresAt == playNow)
        #expect(try await Self.fact(Self.answer(state, item: ["expiryTime": nil])).expiresAt == nil)
    }

    @Test(arguments: ["PENDING", "PENDING_PURCHASE_CANCELED", "SOMETHING_NEW"])
    func `a state without a known payment is pending`(state: String) async throws {
        let unpaid = try Self.answer(state, order: nil, changes: ["latestOrderId": "GPA.1", "startTime": nil])
        let fact = try await Self.fact(unpaid)
        #expect(fact.pending)
        #expect(fact.transactionID == "GPA.1")
        #expect(fact.purchasedAt == playNow)
        #expect(fact.needsAcknowledgement == nil)
        #expect(try await Self.fact(Self.answer(state)).pending)
    }

    @Test(arguments: [("ACTIVE", false), ("CANCELED", false), ("IN_GRACE_PERIOD", true), ("ON_HOLD", true)])
    func `the latest order counts as paid only while the subscription is active`(
        state: String,
        pending: Bool
    ) async throws {
        let fact = try await Self.fact(Self.answer(state, order: nil, changes: ["latestOrderId": "GPA.1..4"]))
        #expect(fact.orderID == "GPA.1..4")
        #expect(fact.pending == pending)
        let unnamed = try await Self.fact(Self.answer(state, order: nil))
        #expect(unnamed.transactionID == "tok")
        #expect(unnamed.pending)
    }

    @Test
    func `a renewal's start is estimated, or taken from a matching notification`() async throws {
        // 92 days contain three periods, so the last one begins after two thirds of the time.
        let answer = try Self.answer(order: "GPA.1..1")
        let reckoned = Self.start.addingTimeInterval(92 * 86_400 * 2 / 3)
        let fact = try await Self.fact(answer)
        #expect(fact.orderID == "GPA.1..1")
        #expect(fact.originalTransactionID == "GPA.1")
        #expect(abs(fact.purchasedAt.timeIntervalSince(reckoned)) < 1)
        let told = reckoned.addingTimeInterval(-86_400)
        #expect(try await Self.fact(answer, renewedAt: told).purchasedAt == told)
        let previous = Self.start.addingTimeInterval(31 * 86_400)
        #expect(try await Self.fact(answer, renewedAt: previous).purchasedAt == fact.purchasedAt)
    }

    @Test
    func `estimated starts are in the order of the renewals and within their periods`() async throws {
        var last = Self.start
        for number in 0..<4 {
            let days = 30.0 * Double(number + 2) + 7
            let expiry = Self.start.addingTimeInterval(days * 86_400).formatted(.iso8601)
            let fact = try await Self.fact(Self.answer(order: "GPA.1..\(number)", item: ["expiryTime": expiry]))
            #expect(fact.purchasedAt > last)
            let end = try #require(fact.expiresAt)
            #expect(fact.purchasedAt < end)
            #expect(end.timeIntervalSince(fact.purchasedAt) < 45 * 86_400)
            last = fact.purchasedAt
        }
    }

    @Test
    func `a tester's subscription is a sandbox subscription`() async throws {
        #expect(try await Self.fact(Self.answer(changes: ["testPurchase": [String: String]()])).environment == .sandbox)
    }

    private static func facts(_ items: [[String: any Sendable]]) async throws -> [StoreFact] {
        let answer = try Self.answer(changes: ["lineItems": items])
        let facts = Mutex<[StoreFact]>([])
        try await GooglePlayServer.run(body: answer) { _, api in
            let told = try await api.subscription(token: "tok")
            facts.withLock { $0 = told }
        }
        return facts.withLock { $0 }
    }

    @Test
    func `the line items of one order are products of one purchase`() async throws {
        let facts = try await Self.facts([
            ["productId": "base", "latestSuccessfulOrderId": "GPA.1", "offerDetails": ["basePlanId": "monthly"]],
            ["productId": "addon", "latestSuccessfulOrderId": "GPA.1"],
            ["productId": "older", "latestSuccessfulOrderId": "GPA.0"],
        ])
        #expect(facts.map(\.storeProductID) == ["base:monthly", "addon", "older"])
        #expect(facts.map(\.orderID) == ["GPA.1", "GPA.1", "GPA.0"])
        #expect(facts.map(\.purchaseProducts) == [["base:monthly", "addon"], ["base:monthly", "addon"], nil])
    }

    @Test
    func `a deferred replacement is not owned yet, and a single product has no list`() async throws {
        let deferred = try await Self.facts([
            [
                "productId": "silver", "latestSuccessfulOrderId": "GPA.1",
                "deferredItemReplacement": ["productId": "gold"],
            ],
            ["productId": "gold", "offerDetails": ["basePlanId": "monthly"]],
        ])
        #expect(deferred.map(\.storeProductID) == ["silver"])
        #expect(deferred.map(\.purchaseProducts) == [nil])
        let plans = try await Self.facts([
            ["productId": "base", "latestSuccessfulOrderId": "GPA.1", "offerDetails": ["basePlanId": "monthly"]],
            ["productId": "base", "latestSuccessfulOrderId": "GPA.1", "offerDetails": ["basePlanId": "yearly"]],
        ])
        #expect(plans.map(\.purchaseProducts) == [nil, nil])
    }

    @Test
    func `trial, introductory price and prepaid plan are reported`() async throws {
        let none = [String: String]()
        let trial = try Self.answer(item: ["offerPhase": ["freeTrial": none]])
        #expect(try await Self.fact(trial).periodType == .trial)
        let intro = try Self.answer(item: ["offerPhase": ["introductoryPrice": none]])
        #expect(try await Self.fact(intro).periodType == .intro)
        let prepaid = try Self.answer(item: ["prepaidPlan": none, "autoRenewingPlan": nil])
        let fact = try await Self.fact(prepaid)
        #expect(fact.periodType == .prepaid)
        #expect(fact.willRenew == false)
        let tags: [String: any Sendable] = ["basePlanId": "monthly", "offerTags": ["free-trial"]]
        #expect(try await Self.fact(Self.answer(item: ["offerDetails": tags])).periodType == .trial)
        let renewed = try Self.answer(order: "GPA.1..0", item: ["offerDetails": tags])
        #expect(try await Self.fact(renewed).periodType == .normal)
    }

    @Test(
        arguments: [
            ["lineItems": [String]()], ["lineItems": ["x"]], ["lineItems": "x"], ["startTime": "soon"],
            ["linkedPurchaseToken": 1], ["externalAccountIdentifiers": "x"],
        ] as [[String: any Sendable]]
    )
    func `a response of another format is a temporary error`(changes: [String: any Sendable]) async throws {
        let error = await #expect(throws: StoreError.self) {
            _ = try await Self.fact(Self.answer(changes: changes))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.retryAfter != nil)
    }
}
