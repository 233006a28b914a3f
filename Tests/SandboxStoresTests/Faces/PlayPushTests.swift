import Foundation
import SandboxStores
import Testing

@Suite
struct PlayPushTests {
    @Test(
        arguments: [
            (["renew"], [2]), (["cancel", "uncancel"], [3, 7]), (["billing-issue", "recover"], [5, 1]),
            (["billing-issue", "expire"], [5, 13]), (["pause", "resume"], [11, 11]), (["expire"], [13]),
        ]
    )
    func `each step of a subscription is pushed by its number`(steps: [String], types: [Int]) async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let bought = try #require(try faces.notifications().first)
            #expect(bought.text("packageName") == Faces.package)
            #expect(bought.text("eventTimeMillis").flatMap(Int64.init) != nil)
            #expect(bought.object("subscriptionNotification")?.number("notificationType") == 4)
            try await faces.advance(60)
            let original = try #require(sale.text("original_transaction_id"))
            for step in steps {
                try await faces.control("subscriptions/\(original)/\(step)")
            }
            let told = try faces.notifications().map { try #require($0.object("subscriptionNotification")) }
            #expect(told.map { $0.number("notificationType") } == types)
            #expect(told.allSatisfy { $0.text("purchaseToken") == sale.text("purchase_token") })
            #expect(told.allSatisfy { $0.text("subscriptionId") == "premium" })
        }
    }

    @Test
    func `grace, pause, upgrade and planned change are pushed with their types`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            let path = "subscriptions/\(original)"
            try await faces.advance(3_600)
            try await faces.control("\(path)/billing-issue", ["grace_days": 1])
            try await faces.control("\(path)/end-grace")
            try await faces.control("\(path)/recover")
            try await faces.control("\(path)/change-product", ["product_id": gold, "mode": "downgrade"])
            try await faces.advance(3_600)
            try await faces.control("\(path)/pause")
            try await faces.control("\(path)/resume")
            let types = try faces.notifications().map {
                $0.object("subscriptionNotification")?.number("notificationType")
            }
            #expect(types == [4, 6, 5, 1, 17, 10, 1])
        }
    }

    @Test
    func `an upgrade reports the new token and the old token's end`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(premium)
            let original = try #require(sale.text("original_transaction_id"))
            _ = try faces.notifications()
            let change = ["product_id": gold, "mode": "upgrade"]
            let upgrade = try await faces.control("subscriptions/\(original)/change-product", change)
            let told = try faces.notifications().map { try #require($0.object("subscriptionNotification")) }
            #expect(told.map { $0.number("notificationType") } == [4, 13])
            #expect(
                told.map { $0.text("purchaseToken") }
                    == [upgrade.text("purchase_token"), sale.text("purchase_token")]
            )
        }
    }

    @Test
    func `a one-time purchase is pushed, its full or partial refund as voided`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(starter, ["quantity": 2])
            let id = try #require(sale.text("transaction_id"))
            let bought = try faces.notifications().first?.object("oneTimeProductNotification")
            #expect(bought?.number("notificationType") == 1)
            #expect(bought?.text("sku") == starter)
            #expect(bought?.text("purchaseToken") == sale.text("purchase_token"))
            for (percentage, refundType) in [(50, 2), (100, 1)] {
                try await faces.control("transactions/\(id)/refund", ["percentage": percentage])
                let told = try faces.notifications()
                #expect(told.count == 1)
                let voided = told.first?.object("voidedPurchaseNotification")
                #expect(voided?.text("orderId") == id)
                #expect(voided?.text("purchaseToken") == sale.text("purchase_token"))
                #expect(voided?.number("productType") == 2)
                #expect(voided?.number("refundType") == refundType)
            }
        }
    }

    @Test
    func `a refund of the current period is pushed as voided and revoked`() async throws {
        try await Faces.run { faces in
            let id = try #require(try await faces.buy(premium).text("transaction_id"))
            _ = try faces.notifications()
            try await faces.control("transactions/\(id)/refund")
            let told = try faces.notifications()
            #expect(told.first?.object("voidedPurchaseNotification")?.number("productType") == 1)
            #expect(told.last?.object("subscriptionNotification")?.number("notificationType") == 12)
        }
    }

    @Test
    func `a pending purchase is pushed only when it is paid or given up`() async throws {
        try await Faces.run { faces in
            let paid = try #require(try await faces.buy(starter, ["pending": true]).text("transaction_id"))
            let given = try #require(try await faces.buy(starter, ["pending": true]).text("transaction_id"))
            #expect(try faces.notifications().isEmpty)
            #expect(try faces.events().isEmpty)
            try await faces.control("transactions/\(paid)/complete")
            try await faces.control("transactions/\(given)/refund")
            let told = try faces.notifications().map {
                $0.object("oneTimeProductNotification")?.number("notificationType")
            }
            #expect(told == [1, 2])
            #expect(try faces.events().map { $0.text("type") } == ["NON_RENEWING_PURCHASE"])
        }
    }

    @Test
    func `Google Play pushes nothing about the App Store's purchases`() async throws {
        try await Faces.run { faces in
            _ = try await faces.stores.buy()
            #expect(try faces.notifications().isEmpty)
            #expect(try faces.events().count == 1)
        }
    }
}
