import Foundation
import Stores
import Synchronization
import Testing

@Suite(.serialized)
struct GooglePlayProductTests {
    private static func fact(_ changes: [String: (any Sendable)?] = [:]) async throws -> StoreFact? {
        var answer: [String: (any Sendable)?] = [
            "kind": "androidpublisher#productPurchase", "purchaseTimeMillis": "1789000000000", "purchaseState": 0,
            "consumptionState": 0, "acknowledgementState": 0, "orderId": "GPA.1",
        ]
        answer.merge(changes) { $1 }
        return try await self.facts(try JSONSerialization.text(answer.compactMapValues { $0 })) { api in
            [try await api.product(productID: "pack", token: "tok")]
        }.first
    }

    private static func v2(_ state: String, _ details: String) async throws -> [StoreFact] {
        let answer = """
            {"purchaseStateContext":{"purchaseState":"\(state)"},"orderId":"GPA.2","testPurchaseContext":{},
            "purchaseCompletionTime":"2026-09-01T00:00:00.5Z","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",
            "productLineItem":[{"productId":"pack","productOfferDetails":\(details)}]}
            """
        return try await self.facts(answer) { api in try await api.products(token: "tok") }
    }

    private static func facts(
        _ answer: String,
        _ ask: @escaping @Sendable (GooglePlayAPI) async throws -> [StoreFact]
    ) async throws -> [StoreFact] {
        let facts = Mutex<[StoreFact]>([])
        try await GooglePlayServer.run(body: answer) { _, api in
            let told = try await ask(api)
            facts.withLock { $0 = told }
        }
        return facts.withLock { $0 }
    }

    @Test
    func `a paid product is reported with its order, its token and its acknowledgement state`() async throws {
        let token = "0F1E2D3C-4B5A-4968-8776-655443322110"
        let fact = try #require(try await Self.fact(["obfuscatedExternalAccountId": token, "quantity": 3]))
        #expect(fact.store == .playStore)
        #expect(fact.environment == .production)
        #expect(fact.transactionID == "GPA.1")
        #expect(fact.orderID == "GPA.1")
        #expect(fact.purchaseToken == "tok")
        #expect(fact.storeProductID == "pack")
        #expect(fact.kind == .oneTime)
        #expect(fact.quantity == 3)
        #expect(fact.pending == false)
        #expect(fact.refundedMillionths == nil)
        #expect(fact.needsAcknowledgement == true)
        #expect(fact.appAccountToken == UUID(uuidString: token))
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_789_000_000))
        #expect(fact.sourceAt == playNow)
        #expect(fact.source == .serverAPI)
    }

    @Test
    func `a product with a pending payment is pending and identified by its token`() async throws {
        let fact = try #require(try await Self.fact(["purchaseState": 2, "orderId": nil]))
        #expect(fact.pending)
        #expect(fact.transactionID == "tok")
        #expect(fact.orderID == nil)
        #expect(fact.needsAcknowledgement == nil)
    }

    @Test
    func `a cancelled order is refunded in full, one without an order was never paid`() async throws {
        let fact = try #require(try await Self.fact(["purchaseState": 1]))
        #expect(fact.refundedMillionths == 1_000_000)
        #expect(fact.pending == false)
        let unpaid = try #require(try await Self.fact(["purchaseState": 1, "orderId": nil]))
        #expect(unpaid.refundedMillionths == nil)
        #expect(unpaid.pending)
    }

    @Test(arguments: [(3, 3, nil), (3, 2, 333_333), (3, 0, 1_000_000), (7, 1, 857_142)])
    func `a partial refund of a quantity is reported as a share`(quantity: Int, refundable: Int, share: Int?)
        async throws
    {
        let fact = try #require(try await Self.fact(["quantity": quantity, "refundableQuantity": refundable]))
        #expect(fact.refundedMillionths == share)
        #expect((fact.refundedAt == nil) == (share == nil))
    }

    @Test
    func `an acknowledged or consumed product needs no acknowledgement`() async throws {
        #expect(try await Self.fact(["acknowledgementState": 1])?.needsAcknowledgement == false)
        #expect(try await Self.fact(["consumptionState": 1])?.needsAcknowledgement == false)
    }

    @Test
    func `a tester's purchase is sandbox, a promotion is not`() async throws {
        #expect(try await Self.fact(["purchaseType": 0])?.environment == .sandbox)
        #expect(try await Self.fact(["purchaseType": 1])?.environment == .production)
    }

    @Test(arguments: ["", "00000000-0000-0000-0000-000000000000", "ann"])
    func `an invalid account id is not used as account token`(id: String) async throws {
        let fact = try #require(try await Self.fact(["obfuscatedExternalAccountId": id]))
        #expect(fact.appAccountToken == nil)
    }

    @Test(
        arguments: [
            (["productId": "other"], StoreError.Code.rejected), (["purchaseToken": "other"], .rejected),
            (["purchaseState": 9], .unavailable), (["purchaseState": "x"], .unavailable),
            (["quantity": 0], .unavailable),
            (["quantity": -1], .unavailable), (["quantity": 1_001], .unavailable),
            (["refundableQuantity": 2], .unavailable),
            (["orderId": 1], .unavailable), (["purchaseTimeMillis": "soon"], .unavailable),
        ] as [([String: any Sendable], StoreError.Code)]
    )
    func `a response about another purchase is refused, one of another format is an outage`(
        changes: [String: any Sendable],
        code: StoreError.Code
    ) async throws {
        let error = await #expect(throws: StoreError.self) { _ = try await Self.fact(changes) }
        #expect(error?.code == code)
    }

    @Test
    func `the newer response names the product itself`() async throws {
        let details = #"{"quantity":4,"refundableQuantity":3,"consumptionState":"CONSUMPTION_STATE_CONSUMED"}"#
        let fact = try #require(try await Self.v2("PURCHASED", details).first)
        #expect(fact.storeProductID == "pack")
        #expect(fact.transactionID == "GPA.2")
        #expect(fact.purchaseToken == "tok")
        #expect(fact.environment == .sandbox)
        #expect(fact.quantity == 4)
        #expect(fact.refundedMillionths == 250_000)
        #expect(fact.needsAcknowledgement == false)
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_788_220_800.5))
        #expect(try await Self.v2("PENDING", "{}").first?.pending == true)
        #expect(try await Self.v2("CANCELLED", "{}").first?.refundedMillionths == 1_000_000)
        await #expect(throws: StoreError.self) { _ = try await Self.v2("SOMETHING_NEW", "{}") }
    }

    private static let severalProducts = """
        {"purchaseStateContext":{"purchaseState":"PURCHASED"},"orderId":"GPA.2",
        "purchaseCompletionTime":"2026-09-01T00:00:00Z","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",
        "productLineItem":[{"productId":"small","productOfferDetails":{"quantity":2,"refundableQuantity":1}},
        {"productId":"large","productOfferDetails":{}}]}
        """

    @Test(arguments: [nil, "small", "large"])
    func `a purchase of several products has a fact for each, whichever is requested`(productID: String?) async throws {
        let facts = try await Self.facts(Self.severalProducts) { api in
            try await api.purchase(productID: productID, token: "tok")
        }
        #expect(facts.map(\.storeProductID) == ["small", "large"])
        #expect(facts.map(\.transactionID) == ["GPA.2", "GPA.2"])
        #expect(facts.map(\.purchaseToken) == ["tok", "tok"])
        #expect(facts.map(\.purchaseProducts) == [["small", "large"], ["small", "large"]])
        #expect(facts.map(\.refundedMillionths) == [500_000, nil])
        #expect(facts.map(\.needsAcknowledgement) == [true, true])
    }

    @Test
    func `a token of other products is refused, one that only the older response has is known`() async throws {
        let error = await #expect(throws: StoreError.self) {
            _ = try await Self.facts(Self.severalProducts) { api in
                try await api.purchase(productID: "power", token: "tok")
            }
        }
        #expect(error?.code == .rejected)
        let older = #"{"purchaseTimeMillis":"1789000000000","purchaseState":0,"orderId":"GPA.1"}"#
        let answers: @Sendable (ScriptedStore.Call) -> ScriptedStore.Answer = { call in
            call.target.contains("/productsv2/")
                ? .init(status: 404, body: GooglePlayServer.refusal(404, "notFound")) : .init(body: older)
        }
        try await GooglePlayServer.run(answering: answers) { _, api in
            let facts = try await api.purchase(productID: "pack", token: "tok")
            #expect(facts.map(\.orderID) == ["GPA.1"])
            let unnamed = await #expect(throws: StoreError.self) {
                _ = try await api.purchase(productID: nil, token: "tok")
            }
            #expect(unnamed?.code == .notFound)
        }
    }

    @Test
    func `ids are escaped and lead nowhere else`() async throws {
        try await GooglePlayServer.run(body: "{}") { store, api in
            _ = try? await api.product(productID: "../../x", token: "a/b?c#d:consume")
            #expect(
                store.calls.last?.target == "\(playPath)/products/..%2F..%2Fx/tokens/a%2Fb%3Fc%23d%3Aconsume"
            )
            let count = store.calls.count
            for id in ["", "..", "a\u{0}b", String(repeating: "a", count: 2_000)] {
                let error = await #expect(throws: StoreError.self) { _ = try await api.subscription(token: id) }
                #expect(error?.code == .notFound)
            }
            #expect(store.calls.count == count)
        }
    }

    @Test(arguments: [
        (404, "notFound", StoreError.Code.notFound), (410, "purchaseTokenNoLongerValid", .notFound),
        (400, "invalid", .rejected), (403, "permissionDenied", .misconfigured),
        (403, "userRateLimitExceeded", .unavailable), (429, "rateLimitExceeded", .unavailable),
        (500, "backendError", .unavailable), (503, "backendError", .unavailable),
    ])
    func `each refusal has its own error code`(status: Int, reason: String, code: StoreError.Code) async throws {
        let body = GooglePlayServer.refusal(status, reason)
        try await GooglePlayServer.run(status: status, body: body) { _, api in
            let error = await #expect(throws: StoreError.self) {
                _ = try await api.product(productID: "pack", token: "tok")
            }
            #expect(error?.code == code)
            #expect(error?.storeStatus == status)
        }
    }

    @Test(arguments: ["", "<html>Not Found</html>", "{}", #"{"error":"not found"}"#, #"{"error":{"code":500}}"#])
    func `an error in another format than Google's is an outage`(body: String) async throws {
        for status in [400, 404, 410] {
            try await GooglePlayServer.run(status: status, body: body) { _, api in
                let errors = [
                    await #expect(throws: StoreError.self) {
                        _ = try await api.product(productID: "pack", token: "tok")
                    },
                    await #expect(throws: StoreError.self) { _ = try await api.subscription(token: "tok") },
                    // Otherwise the purchase would count as acknowledged, and Google would refund it after three days.
                    await #expect(throws: StoreError.self) { try await api.consume(productID: "pack", token: "tok") },
                ]
                for error in errors {
                    #expect(error?.code == .unavailable)
                    #expect(error?.retryAfter != nil)
                }
            }
        }
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `the published product is paid and acknowledged`() async throws {
        let vector = try JSONSerialization.jsonObject(
            with: try ThirdPartyFiles.bytes(of: "google/play_store_product_purchases_valid_but_not_consumed.json")
        )
        let body = try #require((vector as? [String: Any])?["body"])
        let answer = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let fact = try #require(
            try await Self.facts(answer) { [try await $0.product(productID: "my_product_id", token: "my_token")] }.first
        )
        #expect(fact.orderID == "123")
        #expect(fact.pending == false)
        #expect(fact.needsAcknowledgement == false)
        #expect(fact.quantity == 1)
        #expect(fact.purchasedAt == Date(timeIntervalSince1970: 123_456.789))
    }
}
