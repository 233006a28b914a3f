import Foundation
import SandboxStores
import Testing

@Suite
struct RevenueCatWebhookTests {
    @Test
    func `the event of a first purchase has every member that RevenueCat sends`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.stores.buy(monthly, ["price_milliunits": 4_990, "currency": "EUR"])
            let event = try #require(try faces.events().first)
            let id = try #require(sale.text("transaction_id"))
            #expect(event.text("type") == "INITIAL_PURCHASE")
            #expect(UUID(uuidString: event.text("id") ?? "") != nil)
            #expect(event.text("app_user_id") == "ann")
            #expect(event.text("original_app_user_id") == "ann")
            #expect(event.texts("aliases") == ["ann"])
            #expect(event.text("store") == "APP_STORE")
            #expect(event.text("environment") == "PRODUCTION")
            #expect(event.text("period_type") == "NORMAL")
            #expect(event.text("product_id") == monthly)
            #expect(event.texts("entitlement_ids") == ["premium"])
            #expect(event.text("transaction_id") == id)
            #expect(event.text("original_transaction_id") == id)
            #expect(event.flag("is_family_share") == false)
            #expect(event.decimal("price") == 4.99)
            #expect(event.text("currency") == "EUR")
            let bought = try #require(event.number("purchased_at_ms"))
            #expect(event.number("expiration_at_ms") == bought + 3_600_000)
            #expect(event.number("event_timestamp_ms") == bought)
        }
    }

    @Test
    func `a one-time purchase has no end, and a family share is marked`() async throws {
        try await Faces.run { faces in
            _ = try await faces.buy(starter, ["environment": "sandbox", "ownership": "family_shared"])
            let event = try #require(try faces.events().first)
            #expect(event.text("type") == "NON_RENEWING_PURCHASE")
            #expect(event.text("store") == "PLAY_STORE")
            #expect(event.text("environment") == "SANDBOX")
            #expect(event.text("transaction_id")?.hasPrefix("GPA.") == true)
            #expect(event.flag("is_family_share") == true)
            #expect(event.isNull("expiration_at_ms"))
            #expect(event.isNull("entitlement_ids"))
        }
    }

    @Test(
        arguments: [
            (["renew"], ["RENEWAL"]),
            (["cancel", "uncancel"], ["CANCELLATION", "UNCANCELLATION"]),
            (["billing-issue", "recover"], ["BILLING_ISSUE", "CANCELLATION", "RENEWAL"]),
            (["billing-issue", "expire"], ["BILLING_ISSUE", "CANCELLATION", "EXPIRATION"]),
            (["cancel", "expire", "renew"], ["CANCELLATION", "EXPIRATION", "RENEWAL"]),
        ]
    )
    func `each step of a subscription is reported by its type`(steps: [String], types: [String]) async throws {
        try await Faces.run { faces in
            let original = try #require(try await faces.stores.buy(monthly).text("original_transaction_id"))
            _ = try faces.events()
            try await faces.advance(60)
            for step in steps {
                try await faces.control("subscriptions/\(original)/\(step)")
            }
            let events = try faces.events()
            #expect(events.map { $0.text("type") } == types)
            #expect(Set(events.map { $0.text("id") }).count == types.count)
            #expect(events.allSatisfy { $0.text("original_transaction_id") == original })
        }
    }

    @Test
    func `a failed payment reports the grace period and the reason`() async throws {
        try await Faces.run { faces in
            let original = try #require(try await faces.stores.buy(monthly).text("original_transaction_id"))
            try await faces.advance(3_600)
            _ = try faces.events()
            try await faces.control("subscriptions/\(original)/billing-issue", ["grace_days": 6])
            let failed = try faces.events()
            let at = try #require(failed.first?.number("event_timestamp_ms"))
            #expect(failed.first?.number("grace_period_expiration_at_ms") == at + 6 * 86_400_000)
            #expect(failed.last?.text("cancel_reason") == "BILLING_ERROR")
            try await faces.control("subscriptions/\(original)/expire")
            let ended = try faces.events()
            #expect(ended.map { $0.text("expiration_reason") } == ["BILLING_ERROR"])
        }
    }

    @Test
    func `a trial costs nothing, and its conversion is marked`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.stores.buy(monthly, ["is_trial": true])
            let original = try #require(sale.text("original_transaction_id"))
            try await faces.control("subscriptions/\(original)/renew")
            try await faces.control("subscriptions/\(original)/renew")
            let events = try faces.events()
            #expect(events.map { $0.text("period_type") } == ["TRIAL", "NORMAL", "NORMAL"])
            #expect(events.map { $0.flag("is_trial_conversion") } == [nil, true, false])
            #expect(events.map { $0.decimal("price") } == [0, 9.99, 9.99])
        }
    }

    @Test
    func `a refund is a cancellation with a negative price that ends the period and can be reversed`() async throws {
        try await Faces.run { faces in
            let id = try #require(try await faces.stores.buy(monthly).text("transaction_id"))
            _ = try faces.events()
            try await faces.advance(60)
            try await faces.control("transactions/\(id)/refund")
            let refund = try #require(try faces.events().first)
            #expect(refund.text("type") == "CANCELLATION")
            #expect(refund.text("cancel_reason") == "CUSTOMER_SUPPORT")
            #expect(refund.decimal("price") == -9.99)
            #expect(refund.number("expiration_at_ms") == refund.number("event_timestamp_ms"))
            try await faces.control("transactions/\(id)/refund-reverse")
            #expect(try faces.events().map { $0.text("type") } == ["REFUND_REVERSED"])
        }
    }

    @Test
    func `partial refunds and refunds of older periods are not reported`() async throws {
        try await Faces.run { faces in
            let pack = try #require(try await faces.stores.buy().text("transaction_id"))
            let first = try #require(try await faces.stores.buy(monthly).text("transaction_id"))
            try await faces.control("subscriptions/\(first)/renew")
            _ = try faces.events()
            try await faces.control("transactions/\(pack)/refund", ["percentage": 50])
            try await faces.control("transactions/\(first)/refund")
            #expect(try faces.events().isEmpty)
        }
    }

    @Test
    func `a planned change names the new product and an upgrade renews into it at once`() async throws {
        try await Faces.run { faces in
            let original = try #require(try await faces.stores.buy(premium).text("original_transaction_id"))
            _ = try faces.events()
            try await faces.control(
                "subscriptions/\(original)/change-product",
                ["product_id": gold, "mode": "downgrade"]
            )
            let planned = try faces.events()
            #expect(planned.map { $0.text("type") } == ["PRODUCT_CHANGE"])
            #expect(planned.first?.text("product_id") == premium)
            #expect(planned.first?.text("new_product_id") == gold)
            try await faces.control(
                "subscriptions/\(original)/change-product",
                ["product_id": gold, "mode": "upgrade"]
            )
            let upgraded = try faces.events()
            #expect(upgraded.map { $0.text("type") } == ["PRODUCT_CHANGE", "RENEWAL"])
            #expect(upgraded.map { $0.text("product_id") } == [premium, gold])
        }
    }

    @Test
    func `at Google Play an upgrade is a new subscription and a pause ends the old period`() async throws {
        try await Faces.run { faces in
            let original = try #require(try await faces.buy(premium).text("original_transaction_id"))
            try await faces.control("subscriptions/\(original)/renew")
            let renewal = try #require(try faces.events().last)
            #expect(renewal.text("transaction_id") == "\(original)..0")
            #expect(renewal.text("original_transaction_id") == original)
            try await faces.control("subscriptions/\(original)/pause", ["resume_days": 7])
            let paused = try #require(try faces.events().first)
            #expect(paused.text("type") == "SUBSCRIPTION_PAUSED")
            #expect((paused.number("auto_resume_at_ms") ?? 0) > (paused.number("expiration_at_ms") ?? .max))
            try await faces.advance(7_200)
            try await faces.control("subscriptions/\(original)/expire")
            #expect(try faces.events().map { $0.text("expiration_reason") } == ["SUBSCRIPTION_PAUSED"])
            let other = try #require(try await faces.buy(premium).text("original_transaction_id"))
            _ = try faces.events()
            try await faces.control("subscriptions/\(other)/change-product", ["product_id": gold, "mode": "upgrade"])
            let upgraded = try faces.events()
            #expect(upgraded.map { $0.text("type") } == ["INITIAL_PURCHASE", "EXPIRATION"])
            #expect(upgraded.map { $0.text("product_id") } == [gold, premium])
        }
    }

    @Test
    func `a transfer names only users, and later events the new user`() async throws {
        try await Faces.run { faces in
            let original = try #require(try await faces.stores.buy(monthly).text("original_transaction_id"))
            _ = try faces.events()
            try await faces.control("subscriptions/\(original)/transfer", ["to_user_id": "bob"])
            let transfer = try #require(try faces.events().first)
            #expect(transfer.text("type") == "TRANSFER")
            #expect(transfer.texts("transferred_from") == ["ann"])
            #expect(transfer.texts("transferred_to") == ["bob"])
            for absent in ["app_user_id", "product_id", "transaction_id"] {
                #expect(transfer.json[absent] == nil)
            }
            try await faces.control("subscriptions/\(original)/cancel")
            #expect(try faces.events().first?.text("app_user_id") == "bob")
        }
    }
}
