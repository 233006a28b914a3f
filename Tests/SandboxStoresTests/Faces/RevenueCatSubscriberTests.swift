import Foundation
import HTTPTypes
import SandboxStores
import Testing

@Suite
struct RevenueCatSubscriberTests {
    private func subscriber(_ user: String, of faces: Faces) async throws -> Stores.Answer {
        try await faces.call(.get, "/v1/subscribers/\(user)", authorization: "Bearer \(Faces.apiKey)")
    }

    @Test(arguments: [nil, "Bearer wrong", Faces.apiKey])
    func `a request without the key is refused`(authorization: String?) async throws {
        try await Faces.run { faces in
            _ = try await faces.stores.buy()
            let answer = try await faces.call(.get, "/v1/subscribers/ann", authorization: authorization)
            #expect(answer.status == 401)
            #expect(answer.json["subscriber"] == nil)
        }
    }

    @Test
    func `a request for an unknown customer creates an empty one`() async throws {
        try await Faces.run { faces in
            let created = try await self.subscriber("new%20one", of: faces)
            #expect(created.status == 201)
            let subscriber = try #require(created.object("subscriber"))
            #expect(subscriber.text("original_app_user_id") == "new one")
            for part in ["subscriptions", "non_subscriptions", "entitlements"] {
                #expect(subscriber.object(part)?.json.isEmpty == true)
            }
            #expect(try await self.subscriber("new%20one", of: faces).status == 200)
        }
    }

    @Test
    func `a customer has purchases, the newest period and the entitlement`() async throws {
        try await Faces.run { faces in
            let pack = try await faces.buy(starter, ["environment": "sandbox"])
            let original = try #require(try await faces.stores.buy(monthly).text("original_transaction_id"))
            let renewal = try await faces.control("subscriptions/\(original)/renew")
            let answer = try await self.subscriber("ann", of: faces)
            #expect(answer.status == 200)
            let subscriber = try #require(answer.object("subscriber"))
            let period = try #require(subscriber.object("subscriptions")?.object(monthly))
            #expect(period.text("store") == "app_store")
            #expect(period.text("store_transaction_id") == renewal.text("transaction_id"))
            #expect(period.text("ownership_type") == "PURCHASED")
            #expect(period.text("period_type") == "normal")
            #expect(period.flag("is_sandbox") == false)
            #expect(period.isNull("unsubscribe_detected_at"))
            let purchase = try #require(subscriber.object("non_subscriptions")?.list(starter).first)
            #expect(purchase.text("store_transaction_id") == pack.text("transaction_id"))
            #expect(purchase.text("store") == "play_store")
            #expect(purchase.flag("is_sandbox") == true)
            let entitlement = try #require(subscriber.object("entitlements")?.object("premium"))
            #expect(entitlement.text("product_identifier") == monthly)
            #expect(entitlement.text("expires_date") == period.text("expires_date"))
        }
    }

    @Test
    func `a base plan of Google Play is separate from its product`() async throws {
        try await Faces.run { faces in
            _ = try await faces.buy(premium)
            let subscriber = try await self.subscriber("ann", of: faces).object("subscriber")
            let period = subscriber?.object("subscriptions")?.object("premium")
            #expect(period?.text("product_plan_identifier") == "monthly")
            #expect(subscriber?.object("entitlements")?.object("premium")?.text("product_identifier") == "premium")
        }
    }

    @Test
    func `a subscription shows its earlier events`() async throws {
        try await Faces.run { faces in
            let id = try #require(try await faces.stores.buy(monthly).text("transaction_id"))
            try await faces.control("subscriptions/\(id)/cancel")
            try await faces.control("subscriptions/\(id)/billing-issue", ["grace_days": 3])
            try await faces.control("transactions/\(id)/refund")
            let period = try await self.subscriber("ann", of: faces).object("subscriber")?.object("subscriptions")?
                .object(monthly)
            for member in [
                "unsubscribe_detected_at", "billing_issues_detected_at", "grace_period_expires_date", "refunded_at",
            ] {
                #expect(period?.text(member)?.hasSuffix("Z") == true, "\(member)")
            }
        }
    }

    @Test
    func `a transferred subscription moves to the new customer, a one-time purchase stays`() async throws {
        try await Faces.run { faces in
            _ = try await faces.stores.buy()
            let original = try #require(try await faces.stores.buy(monthly).text("original_transaction_id"))
            try await faces.control("subscriptions/\(original)/transfer", ["to_user_id": "bob"])
            let old = try await self.subscriber("ann", of: faces).object("subscriber")
            let new = try await self.subscriber("bob", of: faces).object("subscriber")
            #expect(old?.object("subscriptions")?.json.isEmpty == true)
            #expect(old?.object("non_subscriptions")?.json.keys.sorted() == [starter])
            #expect(new?.object("subscriptions")?.json.keys.sorted() == [monthly])
        }
    }
}
