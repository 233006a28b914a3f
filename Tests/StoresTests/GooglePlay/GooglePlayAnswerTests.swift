import Foundation
import Stores
import Synchronization
import Testing

@Suite(.serialized)
struct GooglePlayAnswerTests {
    private static let subscription = """
        {"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","startTime":"2026-08-01T00:00:00Z","lineItems":[
        {"productId":"plan","expiryTime":"2026-11-01T00:00:00Z","latestSuccessfulOrderId":"GPA.1..1",
        "autoRenewingPlan":{"autoRenewEnabled":true}}]}
        """
    private static let products = """
        {"purchaseStateContext":{"purchaseState":"PURCHASED"},"orderId":"GPA.7",
        "purchaseCompletionTime":"2026-09-01T00:00:00Z","productLineItem":[{"productId":"pack",
        "productOfferDetails":{"quantity":2,"refundableQuantity":1}}]}
        """
    private static let at = Date(timeIntervalSince1970: 1_789_000_000)

    private static func answer(
        _ question: StoreEvent.Lookup?,
        _ body: String,
        path: String
    ) async throws -> StoreEvent {
        var event = StoreEvent(source: .googlePlay, id: "s 1", type: "T")
        event.question = question
        let asked = event
        let answered = Mutex(event)
        try await GooglePlayServer.run(body: body) { store, api in
            let answer = try await api.answer(asked)
            answered.withLock { $0 = answer }
            #expect(store.calls.last?.target == (path.isEmpty ? nil : playPath + path))
        }
        return answered.withLock { $0 }
    }

    @Test
    func `a notification that needs no query is unchanged and sends no request`() async throws {
        let event = try await Self.answer(nil, "{}", path: "")
        #expect(event == StoreEvent(source: .googlePlay, id: "s 1", type: "T"))
    }

    @Test
    func `a product notification becomes its purchase`() async throws {
        let question = StoreEvent.Lookup(kind: .product, productID: "pack", purchaseToken: "tok", at: Self.at)
        let event = try await Self.answer(question, Self.products, path: "/productsv2/tokens/tok")
        #expect(event.question == nil)
        #expect(event.statements.map(\.fact.orderID) == ["GPA.7"])
        #expect(event.statements.map(\.fact.storeProductID) == ["pack"])
        #expect(event.id == "s 1")
    }

    @Test
    func `a voided product is refunded regardless of the API's response`() async throws {
        let question = StoreEvent.Lookup(
            kind: .product,
            purchaseToken: "tok",
            orderID: "GPA.7",
            isVoided: true,
            at: Self.at,
            occasion: .refund
        )
        let fact = try #require(
            try await Self.answer(question, Self.products, path: "/productsv2/tokens/tok").statements.first
        ).fact
        #expect(fact.orderID == "GPA.7")
        #expect(fact.storeProductID == "pack")
        #expect(fact.refundedMillionths == 1_000_000)
        #expect(fact.refundedAt == Self.at)
        #expect(fact.occasion == .refund)
    }

    @Test
    func `the response has the refunded share of a partial refund`() async throws {
        let question = StoreEvent.Lookup(
            kind: .product,
            purchaseToken: "tok",
            orderID: "GPA.7",
            at: Self.at,
            occasion: .refund
        )
        let event = try await Self.answer(question, Self.products, path: "/productsv2/tokens/tok")
        #expect(event.statements.first?.fact.refundedMillionths == 500_000)
    }

    @Test
    func `a renewal becomes its period, dated by its notification`() async throws {
        let renewedAt = Date(timeIntervalSince1970: 1_790_812_800)
        let question = StoreEvent.Lookup(kind: .subscription, purchaseToken: "tok", at: renewedAt, occasion: .renewal)
        let event = try await Self.answer(question, Self.subscription, path: "/subscriptionsv2/tokens/tok")
        let fact = try #require(event.statements.first).fact
        #expect(fact.orderID == "GPA.1..1")
        #expect(fact.purchasedAt == renewedAt)
        #expect(fact.pending == false)
    }

    @Test
    func `only the voided order of a subscription is refunded`() async throws {
        func voided(_ orderID: String) -> StoreEvent.Lookup {
            .init(
                kind: .subscription,
                purchaseToken: "tok",
                orderID: orderID,
                isVoided: true,
                at: Self.at,
                occasion: .refund
            )
        }
        let path = "/subscriptionsv2/tokens/tok"
        let newest = try await Self.answer(voided("GPA.1..1"), Self.subscription, path: path).statements.map(\.fact)
        #expect(newest.map(\.refundedMillionths) == [1_000_000])
        let older = try await Self.answer(voided("GPA.1..0"), Self.subscription, path: path).statements.map(\.fact)
        #expect(older.map(\.orderID) == ["GPA.1..1", "GPA.1..0"])
        #expect(older.map(\.refundedMillionths) == [nil, 1_000_000])
        #expect(older.map(\.originalTransactionID) == ["GPA.1", "GPA.1"])
        #expect(older.map(\.pending) == [false, true])
        let dates = older.map(\.purchasedAt)
        #expect(dates[1] < dates[0])
        #expect(older[1].willRenew == nil)
        #expect(older[1].expiresAt == nil)
        let first = try await Self.answer(voided("GPA.1"), Self.subscription, path: path).statements.map(\.fact)
        #expect(first.last?.purchasedAt == Date(timeIntervalSince1970: 1_785_542_400))
    }

    @Test
    func `a voided order of a subscription with an add-on refunds both, newest or older`() async throws {
        let answer = Self.subscription.replacing(
            #""lineItems":["#,
            with: #""lineItems":[{"productId":"addon","expiryTime":"2026-11-01T00:00:00Z","#
                + #""latestSuccessfulOrderId":"GPA.1..1"},"#
        )
        for (order, refunded) in [("GPA.1..1", 2), ("GPA.1..0", 4)] {
            let question = StoreEvent.Lookup(
                kind: .subscription,
                purchaseToken: "tok",
                orderID: order,
                isVoided: true,
                at: Self.at,
                occasion: .refund
            )
            let facts = try await Self.answer(question, answer, path: "/subscriptionsv2/tokens/tok").statements
                .map(\.fact)
            let voided = facts.filter { $0.orderID == order }
            #expect(facts.count == refunded)
            #expect(voided.map(\.storeProductID) == ["addon", "plan"])
            #expect(voided.map(\.refundedMillionths) == [1_000_000, 1_000_000])
            #expect(voided.allSatisfy { $0.purchaseProducts == ["addon", "plan"] })
        }
    }

    @Test
    func `a purchase unknown to the store leaves the query open`() async throws {
        var event = StoreEvent(source: .googlePlay, id: "s 1", type: "T")
        event.question = .init(kind: .subscription, purchaseToken: "tok", at: Self.at)
        let asked = event
        try await GooglePlayServer.run(status: 404, body: GooglePlayServer.refusal(404, "notFound")) { _, api in
            let error = await #expect(throws: StoreError.self) { _ = try await api.answer(asked) }
            #expect(error?.code == .notFound)
        }
    }
}
