import Foundation
import SandboxStores
import Testing

@Suite
struct PlaySubscriptionTests {
    @Test
    func `a subscription has its plan, its order and its end`() async throws {
        try await Faces.run { faces in
            let account = "0f9e8d7c-0000-4000-8000-00000000000a"
            let sale = try await faces.buy(premium, ["app_account_token": account, "environment": "sandbox"])
            let publisher = try await faces.publisher()
            let answer = try await publisher.subscription(sale.text("purchase_token"))
            #expect(answer.text("kind") == "androidpublisher#subscriptionPurchaseV2")
            #expect(answer.text("subscriptionState") == "SUBSCRIPTION_STATE_ACTIVE")
            #expect(answer.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING")
            #expect(answer.object("externalAccountIdentifiers")?.text("obfuscatedExternalAccountId") == account)
            #expect(answer.object("testPurchase") != nil)
            #expect(answer.json["linkedPurchaseToken"] == nil)
            let item = try #require(answer.list("lineItems").first)
            #expect(item.text("productId") == "premium")
            #expect(item.object("offerDetails")?.text("basePlanId") == "monthly")
            #expect(item.text("latestSuccessfulOrderId") == sale.text("transaction_id"))
            #expect(item.object("autoRenewingPlan")?.flag("autoRenewEnabled") == true)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let start = try style.parse(try #require(answer.text("startTime")))
            let end = try style.parse(try #require(item.text("expiryTime")))
            #expect(abs(end.timeIntervalSince(start) - 3_600) < 0.01)
        }
    }

    @Test(
        arguments: [
            (["cancel"], "CANCELED"), (["cancel", "uncancel"], "ACTIVE"), (["cancel", "expire"], "EXPIRED"),
            (["billing-issue"], "ON_HOLD"), (["billing-issue", "recover"], "ACTIVE"), (["expire"], "EXPIRED"),
            (["pause"], "ACTIVE"), (["expire", "renew"], "ACTIVE"),
        ]
    )
    func `each step gives its state`(steps: [String], state: String) async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            try await faces.advance(60)
            for step in steps {
                try await faces.control("subscriptions/\(original)/\(step)")
            }
            let answer = try await faces.publisher().subscription(sale.text("purchase_token"))
            #expect(answer.text("subscriptionState") == "SUBSCRIPTION_STATE_\(state)")
            if state == "CANCELED" {
                let item = answer.list("lineItems").first
                #expect(item?.object("autoRenewingPlan")?.flag("autoRenewEnabled") != true)
                #expect(answer.object("canceledStateContext")?.object("userInitiatedCancellation") != nil)
            }
        }
    }

    @Test
    func `a pause begins at the end of the paid period`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            try await faces.control("subscriptions/\(original)/pause", ["resume_days": 7])
            try await faces.advance(3_601)
            let paused = try await faces.publisher().subscription(sale.text("purchase_token"))
            #expect(paused.text("subscriptionState") == "SUBSCRIPTION_STATE_PAUSED")
            #expect(paused.object("pausedStateContext")?.text("autoResumeTime") != nil)
        }
    }

    @Test
    func `in the grace period the expiry is the end of the grace, then payment is pending`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            try await faces.advance(3_600)
            try await faces.control("subscriptions/\(original)/billing-issue", ["grace_days": 3])
            let publisher = try await faces.publisher()
            let grace = try await publisher.subscription(sale.text("purchase_token"))
            #expect(grace.text("subscriptionState") == "SUBSCRIPTION_STATE_IN_GRACE_PERIOD")
            let end = try Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                .parse(try #require(grace.list("lineItems").first?.text("expiryTime")))
            #expect(abs(end.timeIntervalSinceNow - 3_600 - 3 * 86_400) < 30)
            try await faces.advance(3 * 86_400 + 60)
            // The purchase was never acknowledged, so it has expired; this check only needs the grace period to be
            // over.
            let later = try await publisher.subscription(sale.text("purchase_token"))
            #expect(later.text("subscriptionState") == "SUBSCRIPTION_STATE_EXPIRED")
        }
    }

    @Test
    func `renewals share the token and number the order`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            for _ in 0..<2 {
                try await faces.control("subscriptions/\(original)/renew")
            }
            let answer = try await faces.publisher().subscription(sale.text("purchase_token"))
            #expect(answer.list("lineItems").first?.text("latestSuccessfulOrderId") == "\(original)..1")
        }
    }

    @Test
    func `an upgrade links to the token that it replaced`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            let change = ["product_id": gold, "mode": "upgrade"]
            let upgrade = try await faces.control("subscriptions/\(original)/change-product", change)
            let publisher = try await faces.publisher()
            let new = try await publisher.subscription(upgrade.text("purchase_token"))
            #expect(new.text("linkedPurchaseToken") == sale.text("purchase_token"))
            #expect(new.list("lineItems").first?.text("productId") == "gold")
            let old = try await publisher.subscription(sale.text("purchase_token"))
            #expect(old.text("subscriptionState") == "SUBSCRIPTION_STATE_EXPIRED")
        }
    }

    @Test
    func `a subscription is acknowledged once, by its own product`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let token = try #require(sale.text("purchase_token"))
            let publisher = try await faces.publisher()
            #expect(try await publisher.post("subscriptions/gold/tokens/\(token):acknowledge").status == 400)
            let encoded = token.replacing(".", with: "%2E")
            #expect(try await publisher.post("subscriptions/premium/tokens/\(encoded):acknowledge").status == 204)
            #expect(
                try await publisher.subscription(token).text("acknowledgementState")
                    == "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"
            )
            let again = try await publisher.post("subscriptions/premium/tokens/\(token):acknowledge")
            #expect(again.status == 400)
            #expect(again.reason == "invalidPurchaseState")
        }
    }

    @Test
    func `a pending subscription has no order and no end, and is cancelled when given up`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium, ["pending": true])
            let publisher = try await faces.publisher()
            let pending = try await publisher.subscription(sale.text("purchase_token"))
            #expect(pending.text("subscriptionState") == "SUBSCRIPTION_STATE_PENDING")
            #expect(pending.list("lineItems").first?.json["latestSuccessfulOrderId"] == nil)
            #expect(pending.list("lineItems").first?.json["expiryTime"] == nil)
            try await faces.control("transactions/\(try #require(sale.text("transaction_id")))/refund")
            let given = try await publisher.subscription(sale.text("purchase_token"))
            #expect(given.text("subscriptionState") == "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED")
        }
    }
}
