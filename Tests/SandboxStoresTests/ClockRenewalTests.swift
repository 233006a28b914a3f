import Foundation
import SandboxStores
import Synchronization
import Testing

/// Tests of the stores' automatic steps when their clock moves.
@Suite
struct ClockRenewalTests {
    @Test
    func `a clock move renews each period that ends meanwhile, without a gap`() async throws {
        try await Receiver.run { stores, _ async throws in
            let sale = try await stores.buy(monthly)
            let told = try await stores.told().count
            try await stores.step("clock", ["advance_seconds": 3 * 3_600 + 60])
            #expect(try await stores.told().dropFirst(told) == ["DID_RENEW", "DID_RENEW", "DID_RENEW"])
            let periods = try await stores.verify(sale.text("receipt")).list("latest_receipt_info")
            let begins = periods.compactMap { $0.text("purchase_date_ms") }.sorted()
            let ends = periods.compactMap { $0.text("expires_date_ms") }.sorted()
            #expect(periods.count == 4)
            #expect(Array(begins.dropFirst()) == Array(ends.dropLast()))
        }
    }

    @Test
    func `a clock move without renewal sends no notification`() async throws {
        try await Receiver.run { stores, _ async throws in
            let sale = try await stores.buy(monthly)
            let told = try await stores.told().count
            try await stores.step("clock", ["advance_seconds": 3 * 3_600, "renew": false])
            #expect(try await stores.told().count == told)
            #expect(try await stores.verify(sale.text("receipt")).list("latest_receipt_info").count == 1)
        }
    }

    @Test
    func `a subscription whose renewal is off ends with its period`() async throws {
        try await Receiver.run { stores, _ async throws in
            let id = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            try await stores.step("subscriptions/\(id)/cancel")
            let told = try await stores.told().count
            try await stores.step("clock", ["advance_seconds": 3 * 3_600])
            #expect(try await stores.told().dropFirst(told) == ["EXPIRED.VOLUNTARY"])
        }
    }

    @Test
    func `an unpaid subscription goes through grace and ends when the store gives up`() async throws {
        try await Receiver.run { stores, _ async throws in
            let id = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 6])
            let told = try await stores.told().count
            try await stores.step("clock", ["advance_seconds": 7 * 86_400])
            #expect(try await stores.told().dropFirst(told) == ["GRACE_PERIOD_EXPIRED"])
            try await stores.step("clock", ["advance_seconds": 61 * 86_400])
            #expect(try await stores.told().dropFirst(told + 1) == ["EXPIRED.BILLING_RETRY"])
        }
    }

    @Test
    func `a planned downgrade takes effect with the next period`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(yearly)
            let id = try #require(sale.text("original_transaction_id"))
            let change: [String: any Sendable] = ["product_id": monthly, "mode": "downgrade"]
            try await stores.step("subscriptions/\(id)/change-product", change)
            try await stores.step("clock", ["advance_seconds": 43_200 + 60])
            let products = try await stores.verify(sale.text("receipt")).list("latest_receipt_info")
                .map { $0.text("product_id") }
            #expect(Set(products) == [yearly, monthly])
            #expect(products.count == 2)
        }
    }

    @Test
    func `a pause at Google Play begins after the period and ends automatically`() async throws {
        try await Faces.run { faces async throws in
            let id = try #require(try await faces.buy(premium).text("original_transaction_id"))
            try await faces.control("subscriptions/\(id)/pause", ["resume_days": 7])
            _ = try faces.notifications()
            try await faces.advance(86_400, renewing: true)
            // Type 10 is PAUSED.
            #expect(try faces.subscriptionTypes() == [10])
            try await faces.advance(7 * 86_400, renewing: true)
            // The purchase was not acknowledged within three days, so it was refunded (VOIDED, REVOKED) and does not
            // resume.
            #expect(try faces.subscriptionTypes() == [12])
        }
    }

    @Test
    func `the wallet's clock follows each renewal of a move, and then its end`() async throws {
        let heard = Mutex<[Int]>([])
        try await Stores.run(Stores.configuration(onClockAdvance: { offset in heard.withLock { $0.append(offset) } })) {
            stores async throws in
            _ = try await stores.buy(monthly)
            let moved = try await stores.step("clock", ["advance_seconds": 7_300])
            #expect(moved.number("offset_seconds") == 7_300)
        }
        let offsets = heard.withLock { $0 }
        #expect(offsets.count == 3)
        #expect(offsets == offsets.sorted())
        #expect(offsets.last == 7_300)
        #expect(zip(offsets, [3_599, 7_199]).allSatisfy { abs($0 - $1) <= 60 })
    }

    @Test
    func `a new catalogue product is sold at once, and renews after its removal`() async throws {
        let catalogue = Mutex<[SandboxProduct]>([])
        var configuration = Stores.configuration()
        configuration.catalogue = { catalogue.withLock { $0 } }
        try await Stores.run(configuration) { stores async throws in
            let purchase: [String: any Sendable] = ["user_id": "ann", "product_id": "weekly"]
            #expect(try await stores.post("/sandbox/purchases", purchase).status == 404)
            let weekly = SandboxProduct(
                storeProductID: "com.example.weekly",
                alias: "weekly",
                kind: .subscription,
                periodSeconds: 7 * 86_400
            )
            catalogue.withLock { $0 = [weekly] }
            let sale = try await stores.buy("weekly")
            #expect(sale.text("product_id") == "com.example.weekly")
            catalogue.withLock { $0 = [] }
            try await stores.step("clock", ["advance_seconds": 8 * 86_400])
            #expect(try await stores.verify(sale.text("receipt")).list("latest_receipt_info").count == 2)
        }
    }
}

extension Stores {
    /// Returns the types of all notifications so far.
    fileprivate func told() async throws -> [String] {
        try await self.get("/sandbox/notifications").list("notifications").compactMap { $0.text("type") }
    }
}

extension Faces {
    /// Returns the types of Google Play's subscription notifications since the last call.
    fileprivate func subscriptionTypes() throws -> [Int] {
        try self.notifications().compactMap { $0.object("subscriptionNotification")?.number("notificationType") }
    }
}
