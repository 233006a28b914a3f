import Foundation
import SandboxStores
import Testing

@Suite
struct GooglePurchaseTests {
    private static let play: [String: any Sendable] = ["store": "play_store"]

    @Test
    func `a purchase has an order id and a token, and no App Store members`() async throws {
        try await Stores.run { stores async throws in
            let first = try await stores.buy(starter, Self.play)
            let second = try await stores.buy(starter, Self.play)
            let order = try #require(first.text("transaction_id"))
            #expect(order.wholeMatch(of: /GPA\.\d{4}-\d{4}-\d{4}-\d{5}/) != nil)
            #expect(first.text("original_transaction_id") == order)
            #expect(first.json["receipt"] is NSNull)
            #expect(first.json["signed_transaction"] is NSNull)
            #expect(first.text("purchase_token") != nil)
            #expect(second.text("purchase_token") != first.text("purchase_token"))
            #expect(second.text("transaction_id") != order)
            let receipt = try await stores.buy().text("receipt")
            #expect(try await stores.shown(receipt).count == 1)
        }
    }

    @Test
    func `renewals have numbered orders under one token, and an upgrade has a new token`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly, Self.play)
            let order = try #require(sale.text("transaction_id"))
            for number in 0..<2 {
                let renewal = try await stores.step("subscriptions/\(order)/renew")
                #expect(renewal.text("transaction_id") == "\(order)..\(number)")
                #expect(renewal.text("original_transaction_id") == order)
                #expect(renewal.text("purchase_token") == sale.text("purchase_token"))
            }
            try await stores.step("clock", ["advance_seconds": 7_200 + 60, "renew": false])
            let change: [String: any Sendable] = ["product_id": yearly, "mode": "upgrade"]
            let upgraded = try await stores.step("subscriptions/\(order)/change-product", change)
            #expect(upgraded.text("original_transaction_id") != order)
            #expect(upgraded.text("purchase_token") != sale.text("purchase_token"))
            let again = try await stores.post("/sandbox/subscriptions/\(order)/cancel")
            #expect(again.status == 200)
            #expect(try await stores.post("/sandbox/subscriptions/\(order)/uncancel").status == 409)
        }
    }

    @Test
    func `a pause begins at the end of the period and ends with a new one`() async throws {
        try await Stores.run { stores async throws in
            let order = try #require(try await stores.buy(monthly, Self.play).text("transaction_id"))
            try await stores.step("subscriptions/\(order)/pause", ["resume_days": 7])
            let calledOff = try await stores.step("subscriptions/\(order)/resume")
            #expect(calledOff.text("transaction_id") == order)
            try await stores.step("subscriptions/\(order)/pause")
            try await stores.step("clock", ["advance_seconds": 7_200, "renew": false])
            let resumed = try await stores.step("subscriptions/\(order)/resume")
            #expect(resumed.text("transaction_id") == "\(order)..0")
        }
    }

    @Test
    func `a pending purchase is paid or given up once`() async throws {
        try await Stores.run { stores async throws in
            let pending = Self.play.merging(["pending": true]) { $1 }
            let paid = try #require(try await stores.buy(starter, pending).text("transaction_id"))
            try await stores.step("transactions/\(paid)/complete")
            #expect(try await stores.post("/sandbox/transactions/\(paid)/complete").status == 409)
            let dropped = try #require(try await stores.buy(starter, pending).text("transaction_id"))
            try await stores.step("transactions/\(dropped)/refund")
            #expect(try await stores.post("/sandbox/transactions/\(dropped)/complete").status == 409)
            let members: [String: any Sendable] = ["user_id": "ann", "product_id": starter, "pending": true]
            #expect(try await stores.post("/sandbox/purchases", members).status == 400)
        }
    }

    @Test
    func `operations of the App Store only are refused`() async throws {
        try await Stores.run { stores async throws in
            let order = try #require(try await stores.buy(starter, Self.play).text("transaction_id"))
            try await stores.step("transactions/\(order)/refund")
            #expect(try await stores.post("/sandbox/transactions/\(order)/refund-reverse").status == 409)
            #expect(try await stores.post("/sandbox/transactions/\(order)/consumption-request").status == 409)
            #expect(try await stores.post("/sandbox/receipts", ["transaction_ids": [order]]).status == 400)
        }
    }
}
