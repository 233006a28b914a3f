import Foundation
import HTTPTypes
import TestSupport
import Testing

// The tests run serially: one test's purchase of a missing product is refused while another changes that product.
@Suite(.database, .serialized) struct OperatorProductRouteTests {
    private static func pack(_ more: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let definition: [String: any Sendable] = [
            "kind": "pack", "name": "Holiday", "unit": "credit", "amount": 50, "bonus": 10,
        ]
        return definition.merging(Self.price(99.5)) { $1 }.merging(more) { $1 }
    }

    private static func id() -> String { "holiday.\(UUID().uuidString.lowercased())" }

    @Test func `a product is created, sold and withdrawn`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = Self.id()
            let definition = Self.pack(["store_ids": ["app_store": id], "display_order": 7])
            let put = try await server.operate(.put, "/operator/products/\(id)", key: "p", json: definition)
            #expect(put.status == 200, "\(put.text)")
            let product = try put.json
            #expect(product["product_id"] as? String == id)
            #expect((product["price"] as? [String: Any])?["amount"] as? Double == 99.5)
            #expect((product["store_ids"] as? [String: Any])?["app_store"] as? String == id)
            #expect((product["store_ids"] as? [String: Any])?["play_store"] is NSNull)
            #expect(product["is_active"] as? Bool == true)
            #expect(product["grace_days"] as? Int == 7)
            #expect(product["period"] is NSNull)
            #expect(product["description"] as? String == "")
            #expect(product.count == 29)

            let again = try await server.operate(.put, "/operator/products/\(id)", key: "p", json: definition)
            #expect(again.text == put.text)
            let other = Self.pack(["name": "Other"])
            let reused = try await server.operate(.put, "/operator/products/\(id)", key: "p", json: other)
            #expect(reused.problem == "idempotency-key-reused")

            let pack = try await self.onSale(server, id)
            #expect(pack?["total_credits"] as? Int == 60)
            #expect((pack?["price"] as? [String: Any])?["amount"] as? Double == 99.5)
            let off = try await server.operate(
                .put,
                "/operator/products/\(id)",
                json: Self.pack(["is_active": false])
            )
            #expect(try off.json["is_active"] as? Bool == false)
            // A PUT replaces the whole definition, and this one had no store id.
            #expect((try off.json["store_ids"] as? [String: Any])?["app_store"] is NSNull)
            #expect(try await self.onSale(server, id) == nil)
        }
    }

    @Test func `the app keeps an early purchase until the catalogue has its product`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, more: ["product_id": ServerHarness.unlisted])
            let body = ["store": "app_store", "signed_transaction": try #require(sale.signedTransaction)]
            let early = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(early.status == 200, "\(early.text)")
            #expect(try early.skipped.map { $0["reason"] as? String } == ["unknown-product"])
            #expect(try early.json["finish"] as? [String] == [])

            // A bundle, of which the early purchase grants every lot.
            let item: [String: any Sendable] = [
                "unit": "visit", "amount": 3, "valid_days": 30, "starts_within_days": 60,
            ]
            let definition = Self.pack(["store_ids": ["app_store": ServerHarness.unlisted], "bundle_items": [item]])
            let put = try await server.operate(.put, "/operator/products/\(Self.id())", json: definition)
            #expect(put.status == 200, "\(put.text)")
            #expect(try await server.credits(of: user) == 60)
            let late = try await server.send(.post, "/receipts", as: user, json: body)
            #expect(try late.granted.first?["duplicate"] as? Bool == true)
            let lots = try #require(try late.granted.first?["lots"] as? [[String: Any]])
            #expect(lots.map { $0["unit"] as? String } == ["credit", "visit"])
            #expect(lots.map { $0["granted"] as? Int } == [60, 3])
            #expect(try late.granted.first?["lot_id"] as? String == lots.first?["lot_id"] as? String)
            let items = try #require(try put.json["bundle_items"] as? [[String: Any]])
            #expect(items.first?["starts_within_days"] as? Int == 60)
            #expect(try late.json["finish"] as? [String] == [sale.transactionID])
        }
    }

    private func onSale(_ server: ServerHarness, _ id: String) async throws -> [String: Any]? {
        let packs = try #require(try await server.send(.get, "/packs").json["packs"] as? [[String: Any]])
        return packs.first { $0["product_id"] as? String == id }
    }

    @Test func `a plan has its period, its trial and its days ahead`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = Self.id()
            let put = try await server.operate(
                .put,
                "/operator/products/\(id)",
                json: Self.price(80).merging([
                    "kind": "plan", "name": "Club", "unit": "visit", "amount": 8, "trial_amount": 1, "period": "P1M",
                    "tier": 2, "entitlements": ["premium", "club"], "days_ahead": 14, "rollover_percentage": 50,
                    "rollover_cap": 4,
                ]) { $1 }
            )
            #expect(put.status == 200, "\(put.text)")
            #expect(try put.json["entitlements"] as? [String] == ["premium", "club"])
            #expect(try put.json["days_ahead"] as? Int == 14)
            let plans = try #require(try await server.send(.get, "/plans").json["plans"] as? [[String: Any]])
            let plan = try #require(plans.first { $0["product_id"] as? String == id })
            #expect((plan["grants"] as? [String: Any])?["amount"] as? Int == 8)
        }
    }

    @Test func `kind and unit are fixed, and a store id belongs to one product`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = Self.id()
            let mine = Self.pack(["store_ids": ["play_store": id]])
            #expect(try await server.operate(.put, "/operator/products/\(id)", json: mine).status == 200)
            let pass = try await server.operate(
                .put,
                "/operator/products/\(id)",
                json: Self.pack(["kind": "pass", "unit": "visit"])
            )
            #expect(pass.status == 409)
            #expect(pass.problem == "product-kind-fixed")
            let taken = try await server.operate(.put, "/operator/products/\(Self.id())", json: mine)
            #expect(taken.status == 409)
            #expect(taken.problem == "store-id-taken")
        }
    }

    private static func price(_ amount: Double, _ currency: String = "USD") -> [String: any Sendable] {
        let price: [String: any Sendable] = ["amount": amount, "currency": currency]
        return ["price": price]
    }

    private static func bundle(_ more: [String: any Sendable]) -> [String: any Sendable] {
        let item: [String: any Sendable] = ["unit": "visit", "amount": 1]
        return ["bundle_items": [item.merging(more) { $1 }]]
    }

    private static func store(_ ids: [String: String]) -> [String: any Sendable] { ["store_ids": ids] }

    static let malformed: [[String: any Sendable]] = [
        ["kind": "gift"], ["name": ""], ["unit": "visit"], ["kind": "pass"], ["amount": 0], ["amount": -1],
        Self.price(1.005), Self.price(-1), Self.price(1e300), Self.price(1, "usd"), ["price": 5],
        ["valid_days": 30], ["starts_within_days": 30], Self.bundle(["amount": 0]), Self.bundle(["unit": "class"]),
        Self.bundle(["valid_days": 3_661]), Self.bundle(["starts_within_days": 5]),
        Self.bundle(["unit": "credit", "valid_days": 5]),
        Self.bundle([:]).merging(["grant_source": "virtual_currency"]) { $1 }, ["period": "P1M"], ["unlimited": true],
        ["days_ahead": 5], ["grant_source": "luck"],
        ["kind": "plan"], ["kind": "plan", "period": "monthly"], ["rollover_percentage": 101],
        ["description": String(repeating: "x", count: 2_001)], ["entitlements": ["a\n"]], ["entitlements": [""]],
        ["entitlements": Array(repeating: "a", count: 101)], ["subscription_group": " "],
        Self.store(["app_store": ""]), Self.store(["play_store": "two words"]), Self.store(["revenuecat": "a\nb"]),
    ]

    @Test(arguments: Self.malformed.indices)
    func `an invalid product is malformed`(index: Int) async throws {
        try await ServerHarness.withoutDatabase { server in
            let definition = Self.pack(Self.malformed[index])
            let answer = try await server.operate(.put, "/operator/products/a", json: definition)
            #expect(answer.problem == "malformed-request", "\(Self.malformed[index])")
        }
    }

    @Test func `a product's id is a name that stores know`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let long = String(repeating: "x", count: 129)
            for id in [long, "two%20words"] {
                let answer = try await server.operate(.put, "/operator/products/\(id)", json: Self.pack())
                #expect(answer.problem == "malformed-request")
            }
            // A slash, however it is written, makes another path.
            let answer = try await server.operate(.put, "/operator/products/sl%2Fash", json: Self.pack())
            #expect(answer.problem == "route-not-found")
        }
    }
}
