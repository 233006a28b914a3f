import Foundation
import Stores
import Testing

@Suite
struct RevenueCatOtherEventTests {
    private let webhook = RevenueCatWebhook(currencyCode: "CRD")

    private func currency(_ changes: [String: (any Sendable)?] = [:]) throws -> Data {
        let credits: [String: any Sendable] = ["amount": 80, "currency": ["code": "CRD", "name": "Credits"]]
        var event: [String: (any Sendable)?] = [
            "id": "evt-2",
            "type": "VIRTUAL_CURRENCY_TRANSACTION",
            "event_timestamp_ms": 1_790_000_000_000,
            "app_user_id": "ann",
            "adjustments": [credits],
            "virtual_currency_transaction_id": "vatx1",
            "source": "in_app_purchase",
            "store": "APP_STORE",
            "purchase_environment": "SANDBOX",
            "product_id": "com.example.credits.starter",
            "transaction_id": "3000",
        ]
        event.merge(changes) { $1 }
        return try RevenueCatPost.envelope(event.compactMapValues { $0 })
    }

    private func ignored(_ body: Data) throws -> String? {
        let event = try self.webhook.event(from: body)
        return event.statements.isEmpty ? event.ignored : nil
    }

    @Test
    func `a transfer names both users and no purchase`() throws {
        let body = try RevenueCatPost.envelope([
            "id": "evt-3", "type": "TRANSFER", "event_timestamp_ms": 78_789_789_798_798, "store": "APP_STORE",
            "transferred_from": ["a", "$RCAnonymousID:2"], "transferred_to": ["b", "b"],
        ])
        let event = try self.webhook.event(from: body)
        #expect(
            event.transfer == .init(environment: nil, from: ["a", "$RCAnonymousID:2"], to: ["b"], at: webhookArrival)
        )
        #expect(event.statements.isEmpty)
        #expect(event.ignored == nil)
    }

    @Test
    func `similar user ids are different`() throws {
        let (composed, decomposed) = ("us\u{E9}r", "use\u{301}r")
        let body = try RevenueCatPost.purchase(
            "INITIAL_PURCHASE",
            ["app_user_id": composed, "original_app_user_id": decomposed, "aliases": [composed, decomposed]]
        )
        let owners = try #require(try self.webhook.event(from: body).statements.first?.owners)
        #expect(owners.map { Array($0.utf8) } == [composed, decomposed].map { Array($0.utf8) })
    }

    @Test
    func `a transfer may be of one environment, and needs both customers`() throws {
        let sides: [String: any Sendable] = [
            "id": "evt-3", "type": "TRANSFER", "event_timestamp_ms": 1_790_000_000_000, "environment": "SANDBOX",
            "transferred_from": ["a"], "transferred_to": ["b"],
        ]
        let transfer = try self.webhook.event(from: try RevenueCatPost.envelope(sides)).transfer
        #expect(transfer?.environment == .sandbox)
        #expect(transfer?.at == "2026-09-21T14:13:20.000Z")
        for key in ["transferred_from", "transferred_to"] {
            let half = sides.merging([key: [String]()]) { $1 }
            #expect(self.webhook.unreadable(try RevenueCatPost.envelope(half)) == .unreadable)
        }
    }

    @Test(arguments: [
        ("TEST", "test"), ("TEMPORARY_ENTITLEMENT_GRANT", "unvalidated"), ("INVOICE_ISSUANCE", "unpaid"),
        ("EXPERIMENT_ENROLLMENT", "no-purchase"), ("PURCHASE_REDEEMED", "no-purchase"),
        ("SUBSCRIBER_ALIAS", "no-purchase"), ("PRICE_INCREASE_CONSENT_REQUIRED", "no-purchase"),
        ("PRICE_INCREASE_CONSENT_APPROVED", "no-purchase"), ("PAYWALL_IMPRESSION", "not-stored"),
        ("PAYWALL_COMPONENT_INTERACTED", "not-stored"), ("REFUND", "unknown-type"), ("SOMETHING_NEW", "unknown-type"),
    ])
    func `events without a purchase are ignored with a reason`(type: String, reason: String) throws {
        let body = try RevenueCatPost.purchase(type)
        #expect(try self.ignored(body) == reason)
        let event = try self.webhook.event(from: body)
        #expect(event.type == type)
        #expect(event.id == "evt-1")
        // Such an event needs only an id and a type.
        #expect(try self.ignored(try RevenueCatPost.envelope(["id": "e", "type": type])) == reason)
    }

    @Test
    func `credits that RevenueCat adds for a purchase are reported but are no proof`() throws {
        let statement = try #require(try self.webhook.event(from: try self.currency()).statements.first)
        #expect(statement.owners == ["ann"])
        #expect(statement.fact.reportedAmount == 80)
        #expect(statement.fact.pending)
        #expect(statement.fact.transactionID == "3000")
        #expect(statement.fact.environment == .sandbox)
        #expect(statement.fact.storeProductID == "com.example.credits.starter")
        let own = try self.webhook.event(from: try self.currency(["transaction_id": nil]))
        #expect(own.statements.first?.fact.transactionID == "vatx1")
    }

    @Test
    func `only additions in the configured currency count`() throws {
        func adjustment(_ amount: Int, _ code: String) -> [String: any Sendable] {
            ["amount": amount, "currency": ["code": code]]
        }
        let mixed = [adjustment(5, "CRD"), adjustment(-3, "CRD"), adjustment(900, "GEM"), adjustment(2, "CRD")]
        let event = try self.webhook.event(from: try self.currency(["adjustments": mixed]))
        #expect(event.statements.first?.fact.reportedAmount == 7)
        #expect(try self.ignored(try self.currency(["adjustments": [adjustment(-80, "CRD")]])) == "nothing-added")
        #expect(try self.ignored(try self.currency(["adjustments": [adjustment(80, "GEM")]])) == "nothing-added")
        for amount in [Int.min, Int.max, 2_000_000_001] {
            let body = try self.currency(["adjustments": [adjustment(amount, "CRD"), adjustment(1, "CRD")]])
            let told = try? self.webhook.event(from: body).statements.first?.fact.reportedAmount
            #expect(told == (amount < 0 ? 1 : nil))
        }
    }

    @Test
    func `credits without a product, a purchase or a configured currency are ignored`() throws {
        #expect(try self.ignored(try self.currency(["product_id": nil])) == "no-product")
        #expect(try self.ignored(try self.currency(["source": "admin_api"])) == "no-purchase")
        let event = try RevenueCatWebhook().event(from: try self.currency())
        #expect(event.ignored == "currency-not-configured")
        #expect(event.statements.isEmpty)
    }

    @Test(arguments: [
        "id", "type", "event_timestamp_ms", "product_id", "purchased_at_ms", "store", "environment", "transaction_id",
    ])
    func `a purchase without a required member is unreadable`(key: String) throws {
        #expect(self.webhook.unreadable(try RevenueCatPost.purchase("RENEWAL", [key: nil])) == .unreadable)
        #expect(self.webhook.unreadable(try RevenueCatPost.purchase("RENEWAL", [key: NSNull()])) == .unreadable)
        #expect(self.webhook.unreadable(try RevenueCatPost.purchase("RENEWAL", [key: ""])) == .unreadable)
    }

    @Test(arguments: [
        "id", "type", "event_timestamp_ms", "product_id", "purchased_at_ms", "expiration_at_ms", "store", "environment",
        "transaction_id", "original_transaction_id", "app_user_id", "original_app_user_id", "aliases", "period_type",
        "is_family_share",
    ])
    func `a member of the wrong type makes any event unreadable`(key: String) throws {
        let confusions: [any Sendable] = [["a": 1], [1], [["x"]], -1.5]
        for confusion in confusions {
            let body = try RevenueCatPost.purchase("RENEWAL", [key: confusion])
            #expect(self.webhook.unreadable(body) == .unreadable, "\(confusion)")
        }
    }

    @Test
    func `an event without an owner, or of an unknown environment, is unreadable`() throws {
        let orphan: [String: (any Sendable)?] = [
            "app_user_id": nil, "original_app_user_id": nil, "aliases": [String](),
        ]
        #expect(self.webhook.unreadable(try RevenueCatPost.purchase("RENEWAL", orphan)) == .unreadable)
        let side = try RevenueCatPost.purchase("RENEWAL", ["environment": "STAGING"])
        #expect(self.webhook.unreadable(side) == .unreadable)
        let control = try RevenueCatPost.purchase("RENEWAL", ["transaction_id": "1\u{0}2"])
        #expect(self.webhook.unreadable(control) == .unreadable)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"event":[]}"#, #"{"event":{"id":"a"}}"#, #"{"event":{"id":"a""#, "\u{0}",
    ])
    func `text that is not an event is unreadable`(body: String) {
        #expect(self.webhook.unreadable(Data(body.utf8)) == .unreadable)
    }

    @Test
    func `deeply nested text is unreadable and harmless`() {
        let depth = 100_000
        let body = #"{"event":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        #expect(self.webhook.unreadable(Data(body.utf8)) == .unreadable)
    }
}
