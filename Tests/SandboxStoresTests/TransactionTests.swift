import Foundation
import SandboxStores
import Testing

@Suite
struct TransactionTests {
    @Test(arguments: ["refund", "finish"])
    func `a finished consumable disappears from the receipt`(control: String) async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy()
            let id = try #require(sale.text("transaction_id"))
            for _ in 0..<2 {
                let answer = try await stores.post("/sandbox/transactions/\(id)/\(control)")
                #expect(answer.status == 200)
                #expect(answer.text("transaction_id") == id)
            }
            #expect(try await stores.verify(sale.text("receipt")).number("status") == 0)
            #expect(try await stores.shown(sale.text("receipt")).isEmpty)
        }
    }

    @Test
    func `a refunded period remains with its cancellation date`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("transaction_id"))
            _ = try await stores.post("/sandbox/transactions/\(id)/refund")
            let entry = try #require(try await stores.verify(sale.text("receipt")).list("latest_receipt_info").first)
            #expect(entry.text("cancellation_date_ms") != nil)
            #expect(entry.text("cancellation_reason") == "0")
        }
    }

    @Test
    func `finishing removes only consumables`() async throws {
        try await Stores.run { stores async throws in
            for product in [monthly, season] {
                let sale = try await stores.buy(product)
                let id = try #require(sale.text("transaction_id"))
                _ = try await stores.post("/sandbox/transactions/\(id)/finish")
                #expect(try await stores.shown(sale.text("receipt")).contains(id))
            }
        }
    }

    @Test
    func `an unknown transaction is not found`() async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.post("/sandbox/transactions/1/refund").status == 404)
            #expect(try await stores.post("/sandbox/transactions/1/finish").status == 404)
            #expect(try await stores.post("/sandbox/subscriptions/1/renew").status == 404)
        }
    }

    @Test
    func `a subscription has periods, a line item each, and renewal information`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly, ["is_trial": true])
            let original = try #require(sale.text("original_transaction_id"))
            let renewal = try await stores.post("/sandbox/subscriptions/\(original)/renew")
            #expect(renewal.text("original_transaction_id") == original)
            #expect(renewal.text("transaction_id") != original)
            let answer = try await stores.verify(renewal.text("receipt"))
            let periods = answer.list("latest_receipt_info")
            #expect(periods.map { $0.text("transaction_id") } == [renewal.text("transaction_id"), original])
            #expect(Set(periods.map { $0.text("web_order_line_item_id") }).count == 2)
            #expect(periods.map { $0.text("is_trial_period") } == ["false", "true"])
            #expect(periods[0].text("purchase_date_ms") == periods[1].text("expires_date_ms"))
            let start = try #require(periods[0].text("purchase_date_ms").flatMap(Int.init))
            #expect(periods[0].text("expires_date_ms") == String(start + 3_600_000))
            #expect(answer.list("pending_renewal_info").map { $0.text("auto_renew_status") } == ["1"])
            #expect(answer.text("latest_receipt") == renewal.text("receipt"))
        }
    }

    @Test
    func `a cancelled subscription stays active and does not renew`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let original = try #require(sale.text("original_transaction_id"))
            #expect(try await stores.post("/sandbox/subscriptions/\(original)/cancel").status == 200)
            let answer = try await stores.verify(sale.text("receipt"))
            #expect(answer.list("pending_renewal_info").map { $0.text("auto_renew_status") } == ["0"])
            #expect(answer.list("pending_renewal_info").first?.json["expiration_intent"] == nil)
        }
    }

    @Test
    func `an active subscription is not sold again, and an ended one keeps its original id`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly)
            let original = try #require(sale.text("original_transaction_id"))
            let again: [String: any Sendable] = ["user_id": "ann", "product_id": monthly]
            #expect(try await stores.post("/sandbox/purchases", again).status == 409)
            _ = try await stores.post("/sandbox/clock", ["advance_seconds": 10])
            #expect(try await stores.post("/sandbox/subscriptions/\(original)/expire").status == 200)
            _ = try await stores.post("/sandbox/clock", ["advance_seconds": 10])
            let ended = try await stores.verify(sale.text("receipt"))
            #expect(ended.list("pending_renewal_info").first?.text("expiration_intent") == "1")
            let resubscribed = try await stores.buy(monthly)
            #expect(resubscribed.text("original_transaction_id") == original)
            #expect(resubscribed.text("transaction_id") != original)
        }
    }
}
