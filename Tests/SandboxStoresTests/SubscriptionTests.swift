import Foundation
import SandboxStores
import Testing

@Suite
struct SubscriptionTests {
    @Test
    func `the renewal information has a billing issue until it is resolved`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            func renewal() async throws -> Stores.Answer? {
                try await stores.verify(sale.text("receipt")).list("pending_renewal_info").first
            }
            try await stores.step("clock", ["advance_seconds": 3_600, "renew": false])
            try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 1])
            #expect(try await renewal()?.text("is_in_billing_retry_period") == "1")
            #expect(try await renewal()?.text("expiration_intent") == "2")
            #expect(try await renewal()?.text("grace_period_expires_date_ms") != nil)
            try await stores.step("subscriptions/\(id)/recover")
            #expect(try await renewal()?.json["is_in_billing_retry_period"] == nil)
            #expect(try await renewal()?.json["grace_period_expires_date_ms"] == nil)
        }
    }

    @Test
    func `a renewal paid in the grace period is continuous, one paid later begins then`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            try await stores.step("clock", ["advance_seconds": 7_200, "renew": false])
            try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 1])
            let inGrace = try await stores.step("subscriptions/\(id)/recover")
            let second = try SignedData(inGrace.text("signed_transaction"), root: stores.root).payload
            let first = try SignedData(sale.text("signed_transaction"), root: stores.root).payload
            #expect(second.number("purchaseDate") == first.number("expiresDate"))
            try await stores.step("clock", ["advance_seconds": 7_200, "renew": false])
            try await stores.step("subscriptions/\(id)/billing-issue")
            let late = try await stores.step("subscriptions/\(id)/recover")
            let third = try SignedData(late.text("signed_transaction"), root: stores.root).payload
            #expect(try #require(third.number("purchaseDate")) > (second.number("expiresDate") ?? .max))
        }
    }

    @Test
    func `an upgrade takes effect at once and a downgrade with the next period`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            let change: [String: any Sendable] = ["product_id": yearly, "mode": "upgrade"]
            let upgraded = try await stores.step("subscriptions/\(id)/change-product", change)
            #expect(upgraded.text("original_transaction_id") == id)
            #expect(upgraded.text("product_id") == yearly)
            let periods = try await stores.verify(upgraded.text("receipt")).list("latest_receipt_info")
            #expect(periods.map { $0.text("is_upgraded") } == [nil, "true"])
            #expect(try await stores.post("/sandbox/subscriptions/\(id)/change-product", change).status == 409)
            let down: [String: any Sendable] = ["product_id": monthly, "mode": "downgrade"]
            let planned = try await stores.step("subscriptions/\(id)/change-product", down)
            #expect(planned.text("product_id") == yearly)
            let renewals = try await stores.verify(upgraded.text("receipt")).list("pending_renewal_info")
            #expect(renewals.map { $0.text("auto_renew_product_id") } == [monthly])
            #expect(try await stores.step("subscriptions/\(id)/renew").text("product_id") == monthly)
        }
    }

    @Test
    func `an invalid step is refused and changes nothing`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let id = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            let refused: [(String, [String: any Sendable], Int)] = [
                ("recover", [:], 409), ("end-grace", [:], 409), ("pause", [:], 409), ("resume", [:], 409),
                ("billing-issue", ["grace_days": 0], 400), ("billing-issue", ["grace_days": "many"], 400),
                ("change-product", ["product_id": yearly, "mode": "sideways"], 400),
                ("change-product", ["product_id": starter, "mode": "upgrade"], 400),
                ("change-product", ["product_id": "gold", "mode": "upgrade"], 404),
                ("transfer", ["to_user_id": ""], 400), ("fly", [:], 404),
            ]
            for (control, members, status) in refused {
                #expect(try await stores.post("/sandbox/subscriptions/\(id)/\(control)", members).status == status)
            }
            #expect(receiver.bodies.count == 1)
            for control in ["cancel", "uncancel", "billing-issue", "recover", "expire", "pause"] {
                #expect(try await stores.post("/sandbox/subscriptions/1/\(control)").status == 404)
            }
        }
    }

    @Test
    func `a refund can be increased later, but not reduced`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let sale = try await stores.buy()
            let id = try #require(sale.text("transaction_id"))
            for percentage in [30, 30, 10, 100, 100] {
                try await stores.step("transactions/\(id)/refund", ["percentage": percentage])
                let isGone = try await stores.shown(sale.text("receipt")).isEmpty
                #expect(isGone == (percentage == 100))
            }
            #expect(receiver.bodies.count == 3)
            for percentage in [0, 101] {
                let refund = try await stores.post("/sandbox/transactions/\(id)/refund", ["percentage": percentage])
                #expect(refund.status == 400)
            }
        }
    }
}
