import Foundation
import SandboxStores
import Testing

@Suite
struct PurchaseTests {
    @Test
    func `a receipt contains the purchase in the App Store's format`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(starter, ["quantity": 2])
            let id = try #require(sale.text("transaction_id"))
            #expect(id.wholeMatch(of: /[0-9]{16}/) != nil)
            #expect(sale.text("original_transaction_id") == id)
            let answer = try await stores.verify(sale.text("receipt"))
            #expect(answer.status == 200)
            #expect(answer.number("status") == 0)
            #expect(answer.text("environment") == "Production")
            #expect(answer.json["latest_receipt_info"] == nil)
            #expect(answer.json["pending_renewal_info"] == nil)
            let receipt = try #require(answer.object("receipt"))
            #expect(receipt.text("bundle_id") == "com.example.app")
            #expect(receipt.text("receipt_type") == "Production")
            let entry = try #require(receipt.list("in_app").first)
            #expect(entry.json.values.allSatisfy { $0 is String })
            #expect(entry.text("transaction_id") == id)
            #expect(entry.text("product_id") == starter)
            #expect(entry.text("quantity") == "2")
            #expect(entry.text("in_app_ownership_type") == "PURCHASED")
            #expect(entry.json["expires_date_ms"] == nil)
        }
    }

    @Test
    func `every date has three forms of the same instant`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy()
            let receipt = try #require(try await stores.verify(sale.text("receipt")).object("receipt"))
            for name in ["request_date", "receipt_creation_date", "original_purchase_date"] {
                let milliseconds = try #require(receipt.text("\(name)_ms").flatMap(Int64.init))
                let greenwich = try #require(receipt.text(name))
                let pacific = try #require(receipt.text("\(name)_pst"))
                #expect(greenwich.hasSuffix(" Etc/GMT"))
                #expect(pacific.hasSuffix(" America/Los_Angeles"))
                #expect(greenwich.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d Etc\/GMT/) != nil)
                let text = greenwich.dropLast(" Etc/GMT".count).replacing(" ", with: "T") + "Z"
                let instant = try Date.ISO8601FormatStyle().parse(String(text))
                #expect(Int64(instant.timeIntervalSince1970) == milliseconds / 1_000)
            }
        }
    }

    @Test
    func `a receipt contains all purchases of one user and none of another`() async throws {
        try await Stores.run { stores async throws in
            let first = try await stores.buy()
            let second = try await stores.buy()
            let other = try await stores.buy(starter, ["user_id": "bob"])
            let both = [first.text("transaction_id"), second.text("transaction_id")]
            #expect(first.text("receipt") != second.text("receipt"))
            #expect(try await stores.shown(first.text("receipt")) == both)
            #expect(try await stores.shown(second.text("receipt")) == both)
            #expect(try await stores.shown(other.text("receipt")) == [other.text("transaction_id")])
        }
    }

    @Test
    func `a separate receipt contains a single purchase`() async throws {
        try await Stores.run { stores async throws in
            let first = try await stores.buy()
            let alone = try await stores.buy(starter, ["separate": true])
            #expect(try await stores.shown(alone.text("receipt")) == [alone.text("transaction_id")])
            #expect(try await stores.shown(first.text("receipt")) == [first.text("transaction_id")])
        }
    }

    @Test
    func `a composed receipt contains transactions of several owners`() async throws {
        try await Stores.run { stores async throws in
            let ids = [try await stores.buy(), try await stores.buy(starter, ["user_id": "bob"])].map {
                $0.text("transaction_id") ?? ""
            }
            let made = try await stores.post("/sandbox/receipts", ["transaction_ids": ids])
            #expect(made.status == 200)
            #expect(try await stores.shown(made.text("receipt")) == ids)
        }
    }

    @Test
    func `a composed receipt has one environment and only known transactions`() async throws {
        try await Stores.run { stores async throws in
            let real = try await stores.buy()
            let test = try await stores.buy(starter, ["environment": "sandbox"])
            let mixed = [real, test].compactMap { $0.text("transaction_id") }
            #expect(try await stores.post("/sandbox/receipts", ["transaction_ids": mixed]).status == 400)
            #expect(try await stores.post("/sandbox/receipts", ["transaction_ids": [String]()]).status == 400)
            #expect(try await stores.post("/sandbox/receipts", ["transaction_ids": ["1"]]).status == 404)
        }
    }

    @Test
    func `account token and ownership are in the App Store's members`() async throws {
        try await Stores.run { stores async throws in
            let token = "0f9e8d7c-0000-4000-8000-00000000000a"
            let sale = try await stores.buy(starter, ["app_account_token": token, "ownership": "family_shared"])
            let answer = try await stores.verify(sale.text("receipt"))
            let purchase = try #require(answer.object("receipt")?.list("in_app").first)
            #expect(purchase.json["app_account_token"] == nil)
            #expect(purchase.text("in_app_ownership_type") == "FAMILY_SHARED")
            #expect(answer.list("latest_receipt_info").map { $0.text("app_account_token") } == [token])
        }
    }

    @Test
    func `a product is found by its alias and sold under its own id`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy("starter")
            let entry = try await stores.verify(sale.text("receipt")).object("receipt")?.list("in_app").first
            #expect(entry?.text("product_id") == starter)
        }
    }

    @Test
    func `an unknown product is not sold`() async throws {
        try await Stores.run { stores async throws in
            let answer = try await stores.post("/sandbox/purchases", ["user_id": "ann", "product_id": "gold"])
            #expect(answer.status == 404)
            #expect(answer.text("type")?.hasSuffix("/product-not-found") == true)
        }
    }

    @Test(
        arguments: [
            ["quantity": 0], ["quantity": 11], ["quantity": -1], ["environment": "moon"], ["ownership": "found"],
            ["app_account_token": "ann"], ["user_id": ""], ["user_id": 7], ["product_id": 7],
        ] as [[String: any Sendable]]
    )
    func `an invalid purchase is refused`(members: [String: any Sendable]) async throws {
        try await Stores.run { stores async throws in
            let good: [String: any Sendable] = ["user_id": "ann", "product_id": starter]
            #expect(try await stores.post("/sandbox/purchases", good.merging(members) { $1 }).status == 400)
        }
    }

    @Test
    func `concurrent purchases have distinct ids`() async throws {
        try await Stores.run { stores async throws in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await stores.buy(starter, ["user_id": "crowd"]).text("transaction_id") }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 100)
            #expect(!ids.contains(nil))
        }
    }
}
