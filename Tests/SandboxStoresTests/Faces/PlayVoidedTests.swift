import Foundation
import SandboxStores
import Testing

@Suite
struct PlayVoidedTests {
    private static let threeDays = 3 * 86_400

    @Test
    func `an unacknowledged purchase is refunded after three days and not before`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(starter)
            _ = (try faces.notifications(), try faces.events())
            try await faces.advance(Self.threeDays - 60)
            #expect(try faces.notifications().isEmpty)
            try await faces.advance(60)
            let voided = try faces.notifications().first?.object("voidedPurchaseNotification")
            #expect(voided?.text("purchaseToken") == sale.text("purchase_token"))
            #expect(try faces.events().first?.text("cancel_reason") == "CUSTOMER_SUPPORT")
            let listed = try await faces.publisher().get("voidedpurchases").list("voidedPurchases")
            #expect(listed.map { $0.text("orderId") } == [sale.text("transaction_id")])
            #expect(listed.first?.number("voidedReason") == 8)
            #expect(listed.first?.number("voidedSource") == 2)
            try await faces.advance(Self.threeDays)
            #expect(try faces.notifications().isEmpty)
        }
    }

    @Test
    func `an unacknowledged subscription is refunded and revoked`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            _ = try faces.notifications()
            try await faces.advance(Self.threeDays)
            #expect(try faces.notifications().count == 2)
            let answer = try await faces.publisher().subscription(sale.text("purchase_token"))
            #expect(answer.text("subscriptionState") == "SUBSCRIPTION_STATE_EXPIRED")
        }
    }

    @Test
    func `acknowledged, consumed, unpaid, renewed and other stores' purchases are kept`() async throws {
        try await Faces.run { faces in
            let publisher = try await faces.publisher()
            let pack = try #require(try await faces.buy(starter).text("purchase_token"))
            #expect(try await publisher.post("products/\(starter)/tokens/\(pack):acknowledge").status == 204)
            let used = try #require(try await faces.buy(starter).text("purchase_token"))
            #expect(try await publisher.post("products/\(starter)/tokens/\(used):consume").status == 204)
            let plan = try await faces.buy(premium)
            let token = try #require(plan.text("purchase_token"))
            #expect(try await publisher.post("subscriptions/premium/tokens/\(token):acknowledge").status == 204)
            try await faces.control("subscriptions/\(try #require(plan.text("original_transaction_id")))/renew")
            _ = try await faces.buy(starter, ["pending": true])
            _ = try await faces.stores.buy()
            _ = try faces.notifications()
            try await faces.advance(Self.threeDays + 60)
            #expect(try faces.notifications().isEmpty)
        }
    }

    @Test
    func `the three days of a pending purchase begin with its payment`() async throws {
        try await Faces.run { faces in
            let id = try #require(try await faces.buy(starter, ["pending": true]).text("transaction_id"))
            try await faces.advance(2 * 86_400)
            try await faces.control("transactions/\(id)/complete")
            _ = try faces.notifications()
            try await faces.advance(2 * 86_400)
            #expect(try faces.notifications().isEmpty)
            try await faces.advance(86_400)
            #expect(try faces.notifications().count == 1)
        }
    }

    @Test
    func `the list has subscriptions and partial refunds on request only, in pages`() async throws {
        try await Faces.run { faces in
            let pack = try #require(try await faces.buy(starter, ["quantity": 2]).text("transaction_id"))
            let plan = try #require(try await faces.buy(premium).text("transaction_id"))
            let part = try #require(try await faces.buy(starter, ["quantity": 2]).text("transaction_id"))
            try await faces.control("transactions/\(pack)/refund")
            try await faces.advance(1)
            try await faces.control("transactions/\(plan)/refund")
            try await faces.advance(1)
            try await faces.control("transactions/\(part)/refund", ["percentage": 50])
            let publisher = try await faces.publisher()
            let (all, partial) = ("type=1", "includeQuantityBasedPartialRefund=true")
            for (query, expected) in [
                ("", [pack]), ("?\(all)", [pack, plan]), ("?\(partial)", [pack, part]),
                ("?\(all)&\(partial)", [pack, plan, part]),
            ] {
                let listed = try await publisher.get("voidedpurchases\(query)").list("voidedPurchases")
                #expect(listed.map { $0.text("orderId") } == expected)
            }
            let shares = try await publisher.get("voidedpurchases?\(partial)").list("voidedPurchases")
            #expect(shares.map { $0.number("voidedQuantity") } == [2, 1])
            let first = try await publisher.get("voidedpurchases?\(all)&maxResults=1")
            let next = try #require(first.object("tokenPagination")?.text("nextPageToken"))
            let second = try await publisher.get("voidedpurchases?\(all)&maxResults=1&token=\(next)")
            #expect(second.list("voidedPurchases").map { $0.text("orderId") } == [plan])
            #expect(second.json["tokenPagination"] == nil)
        }
    }

    @Test
    func `the list covers thirty days and refuses an invalid range`() async throws {
        try await Faces.run { faces in
            let id = try #require(try await faces.buy(starter).text("transaction_id"))
            try await faces.control("transactions/\(id)/refund")
            let publisher = try await faces.publisher()
            #expect(try await publisher.get("voidedpurchases?startTime=0").list("voidedPurchases").count == 1)
            #expect(try await publisher.get("voidedpurchases?startTime=9999999999999").status == 400)
            #expect(try await publisher.get("voidedpurchases?startTime=yesterday").status == 400)
            try await faces.advance(31 * 86_400)
            #expect(try await publisher.get("voidedpurchases?startTime=0").list("voidedPurchases").isEmpty)
        }
    }
}
