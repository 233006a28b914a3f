import Foundation
import Stores
import Synchronization
import Testing

@Suite(.serialized)
struct RevenueCatAPITests {
    private static let customer = """
        {"request_date_ms": 1790000000000, "subscriber": {
          "subscriptions": {
            "monthly": {"store": "app_store", "store_transaction_id": 2000, "is_sandbox": false,
              "purchase_date": "2026-09-01T00:00:00Z", "expires_date": "2026-10-01T00:00:00Z",
              "period_type": "trial", "ownership_type": "PURCHASED", "unsubscribe_detected_at": null,
              "billing_issues_detected_at": null, "grace_period_expires_date": null, "refunded_at": null,
              "auto_resume_date": null},
            "plan": {"store": "play_store", "store_transaction_id": "GPA.1-2..7", "is_sandbox": true,
              "product_plan_identifier": "yearly", "purchase_date": "2026-08-01T00:00:00.123456Z",
              "expires_date": "2026-09-01T00:00:00Z", "period_type": "normal", "ownership_type": "FAMILY_SHARED",
              "unsubscribe_detected_at": "2026-08-05T00:00:00Z", "billing_issues_detected_at": "2026-08-06T00:00:00Z",
              "grace_period_expires_date": "2026-09-05T00:00:00Z", "refunded_at": "2026-08-07T00:00:00Z",
              "auto_resume_date": "2026-12-01T00:00:00Z"},
            "broken": {"store": "app_store"}
          },
          "non_subscriptions": {"pack": [
            {"id": "own", "store": "app_store", "store_transaction_id": "3000", "is_sandbox": false,
              "purchase_date": "2026-08-01T00:00:00Z"},
            {"id": "unnamed", "store": "app_store", "is_sandbox": false, "purchase_date": "2026-08-01T00:00:00Z"}
          ]}
        }}
        """

    private static func run(
        status: Int = 200,
        headers: [String: String] = [:],
        body: String = Self.customer,
        threshold: Int = 10,
        secretKey: String = "sk_tests",
        check: @escaping @Sendable (ScriptedStore, RevenueCatAPI) async throws -> Void
    ) async throws {
        let answer = ScriptedStore.Answer(status: status, headers: headers, body: body)
        try await ScriptedStore.run(answering: answer) { store, url, client in
            var configuration = RevenueCatAPIConfiguration(secretKey: secretKey, baseURL: url)
            configuration.limits.retryDelay = .milliseconds(5)
            configuration.limits.breaker.threshold = threshold
            let api = RevenueCatAPI(configuration: configuration, httpClient: client, logger: .silent)
            try await check(store, api)
        }
    }

    private static func facts(_ body: String) async throws -> [StoreFact] {
        let facts = Mutex<[StoreFact]>([])
        try await Self.run(body: body) { _, api in
            let statements = try await api.statements(ofUser: "ann")
            facts.withLock { $0 = statements.map(\.fact) }
        }
        return facts.withLock { $0 }
    }

    @Test
    func `a customer is requested by one escaped path segment with the key`() async throws {
        try await Self.run { store, api in
            _ = try await api.statements(ofUser: "../v2/a b?c#d%2f$RCAnonymousID:é")
            let call = try #require(store.calls.first)
            #expect(call.method == "GET")
            #expect(call.target == "/v1/subscribers/..%2Fv2%2Fa%20b%3Fc%23d%252f%24RCAnonymousID%3A%C3%A9")
            #expect(call.authorization == "Bearer sk_tests")
        }
    }

    @Test(arguments: ["", ".", "..", "a\nb"])
    func `an invalid customer id is not requested`(id: String) async throws {
        try await Self.run { store, api in
            let statements = try await api.statements(ofUser: id)
            #expect(statements.isEmpty)
            #expect(store.calls.isEmpty)
        }
    }

    @Test
    func `each purchase with a store id is reported and owned by the customer`() async throws {
        try await Self.run(status: 201) { _, api in
            let statements = try await api.statements(ofUser: "ann")
            #expect(statements.map(\.fact.transactionID) == ["2000", "GPA.1-2..7", "3000"])
            #expect(statements.allSatisfy { $0.owners == ["ann"] && $0.fact.source == .serverAPI })
            #expect(statements.allSatisfy { $0.fact.sourceAt == Date(timeIntervalSince1970: 1_790_000_000) })
        }
    }

    @Test
    func `two subscriptions of one transaction and instant are products of one purchase`() async throws {
        func record(_ date: String) -> String {
            """
            {"store":"play_store","store_transaction_id":"GPA.1","is_sandbox":false,"purchase_date":"\(date)",
            "expires_date":"2026-10-01T00:00:00Z","period_type":"normal"}
            """
        }
        func body(_ date: String) -> String {
            """
            {"request_date_ms":1790000000000,"subscriber":{"subscriptions":{
            "base":\(record("2026-09-01T00:00:00Z")),"addon":\(record(date))}}}
            """
        }
        let together = try await Self.facts(body("2026-09-01T00:00:00Z"))
        #expect(together.map(\.storeProductID) == ["addon", "base"])
        #expect(together.map(\.purchaseProducts) == [["addon", "base"], ["addon", "base"]])
        let apart = try await Self.facts(body("2026-09-11T00:00:00Z"))
        #expect(apart.map(\.purchaseProducts) == [nil, nil])
    }

    @Test
    func `an active subscription reports its state`() async throws {
        let fact = try #require(try await Self.facts(Self.customer).first)
        #expect(fact.store == .appStore)
        #expect(fact.environment == .production)
        #expect(fact.storeProductID == "monthly")
        #expect(fact.originalTransactionID == nil)
        #expect(fact.periodType == .trial)
        #expect(fact.willRenew == true)
        #expect(fact.billingIssue == false)
        // A response that is older than a refund must not revert the refund.
        #expect(fact.refundedMillionths == nil)
        #expect(fact.paused == nil)
        #expect(fact.expiresAt == Date(timeIntervalSince1970: 1_790_812_800))
        #expect(fact.pending == false)
    }

    @Test
    func `an ended subscription of Google Play reports its reason`() async throws {
        let fact = try await Self.facts(Self.customer)[1]
        #expect(fact.storeProductID == "plan:yearly")
        #expect(fact.originalTransactionID == "GPA.1-2")
        #expect(fact.orderID == "GPA.1-2..7")
        #expect(fact.environment == .sandbox)
        #expect(fact.ownership == .familyShared)
        #expect(fact.willRenew == false)
        #expect(fact.billingIssue == true)
        #expect(fact.graceEndsAt == Date(timeIntervalSince1970: 1_788_566_400))
        #expect(fact.refundedMillionths == 1_000_000)
        #expect(fact.refundedAt == Date(timeIntervalSince1970: 1_786_060_800))
        #expect(fact.paused == true)
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_785_542_400.123))
    }

    @Test
    func `a one-time purchase reports no refund`() async throws {
        let fact = try #require(try await Self.facts(Self.customer).last)
        #expect(fact.kind == .oneTime)
        #expect(fact.refundedMillionths == nil)
        #expect(fact.willRenew == nil)
    }

    @Test(arguments: [
        (401, StoreError.Code.misconfigured), (403, .misconfigured), (429, .rateLimited), (500, .unavailable),
        (503, .unavailable), (400, .unavailable), (302, .unavailable),
    ])
    func `each refusal has its own error code`(status: Int, code: StoreError.Code) async throws {
        try await Self.run(status: status, headers: ["retry-after": "42"]) { _, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.statements(ofUser: "ann") }
            #expect(error?.code == code)
            if code == .rateLimited { #expect(error?.retryAfter == 42) }
        }
    }

    @Test
    func `an unknown customer has no purchases`() async throws {
        let body = #"{"code":7259,"message":"The subscriber does not exist."}"#
        try await Self.run(status: 404, body: body) { _, api in
            let statements = try await api.statements(ofUser: "ann")
            #expect(statements.isEmpty)
        }
    }

    @Test(arguments: ["", "<html>Not Found</html>", "{}", #"{"error":"not found"}"#])
    func `a not-found error in another format than RevenueCat's is an outage`(body: String) async throws {
        try await Self.run(status: 404, body: body) { _, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.statements(ofUser: "ann") }
            #expect(error?.code == .unavailable)
            #expect(error?.retryAfter != nil)
        }
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"subscriber":[]}"#])
    func `a response that is not a customer is an outage and not an empty customer`(body: String) async throws {
        try await Self.run(body: body) { _, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.statements(ofUser: "ann") }
            #expect(error?.code == .unavailable)
        }
    }

    @Test
    func `a failing server is retried a limited number of times`() async throws {
        try await Self.run(status: 500, threshold: 4) { store, api in
            for _ in 0..<4 {
                await #expect(throws: StoreError.self) { _ = try await api.statements(ofUser: "ann") }
            }
            #expect(store.calls.count == 4)
        }
    }

    @Test
    func `without a key no request is sent`() async throws {
        try await Self.run(secretKey: "") { store, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.statements(ofUser: "ann") }
            #expect(error?.code == .misconfigured)
            #expect(store.calls.isEmpty)
        }
    }

    @Test
    func `only the vendor's own address counts as the vendor's`() {
        #expect(RevenueCatAPIConfiguration(secretKey: "a").usesVendorEndpoints)
        let other = RevenueCatAPIConfiguration(secretKey: "a", baseURL: "https://api.revenuecat.com.example")
        #expect(!other.usesVendorEndpoints)
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `the published customer has three subscriptions and a purchase without a store id`() async throws {
        let bytes = try ThirdPartyFiles.bytes(of: "revenuecat/subscriber-v1-example.json")
        let facts = try await Self.facts(String(decoding: bytes, as: UTF8.self))
        #expect(facts.map(\.store.rawValue) == ["play_store", "app_store", "promotional"])
        #expect(facts.map(\.willRenew) == [false, false, true])
        #expect(facts[0].originalTransactionID == "GPA.6801-7988-0152-76034")
        #expect(facts[1].transactionID == "1000000652379790")
        #expect(facts[2].ownership == .familyShared)
        #expect(facts[0].sourceAt == Date(timeIntervalSince1970: 1_564_162_810.884))
    }
}
