import SandboxStores
import Testing

/// Tests of the stores' overview: controls, products, subscriptions and purchases.
@Suite
struct OverviewTests {
    @Test
    func `purchases are listed, newest first, with the state of each subscription`() async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.get("/sandbox").list("purchases").isEmpty)
            let plan = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            let pack = try #require(try await stores.buy(starter).text("transaction_id"))
            _ = try await stores.post("/sandbox/transactions/\(pack)/refund")

            let overview = try await stores.get("/sandbox")
            let purchases = overview.list("purchases")
            #expect(purchases.map { $0.text("transaction_id") } == [pack, plan])
            #expect(purchases.first?.text("refunded_at") != nil && purchases.last?.text("refunded_at") == nil)
            #expect(overview.list("products").contains { $0.text("catalogue_id") == "starter" })
            #expect(overview.list("subscriptions").map { $0.text("status") } == ["active"])

            let steps = [("cancel", "cancelled"), ("uncancel", "active"), ("billing-issue", "billing_issue")]
            for (step, status) in steps {
                _ = try await stores.post("/sandbox/subscriptions/\(plan)/\(step)")
                let subscriptions = try await stores.get("/sandbox").list("subscriptions")
                #expect(subscriptions.map { $0.text("status") } == [status])
            }
        }
    }

    @Test
    func `every listed control exists`() async throws {
        try await Stores.run { stores async throws in
            let controls = try await stores.get("/sandbox").list("controls")
            #expect(controls.count > 10)
            for control in controls {
                let path = try #require(control.text("path"))
                    .replacing("{step}", with: "none").replacing("{id}", with: "1")
                    .replacing("{original_transaction_id}", with: "1")
                let answer = control.text("method") == "GET" ? try await stores.get(path) : try await stores.post(path)
                #expect(answer.text("type")?.hasSuffix("/route-not-found") != true, "\(path)")
            }
        }
    }

    @Test
    func `the page escapes user ids`() async throws {
        try await Stores.run { stores async throws in
            _ = try await stores.post(
                "/sandbox/purchases",
                ["user_id": "<script>alert(1)</script>", "product_id": starter]
            )
            let page = try await stores.page("/")
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!page.contains("<script"))
            #expect(page.contains("<td>consumable"))
            #expect(!page.contains("Optional(") && !page.contains("nil"))
        }
    }
}
