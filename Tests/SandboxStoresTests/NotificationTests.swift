import Foundation
import SandboxStores
import Testing

@Suite
struct NotificationTests {
    @Test
    func `every step of a subscription sends the App Store's notification`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            let path = "subscriptions/\(id)"
            let steps: [(String, [String: any Sendable], [String])] = [
                ("renew", [:], ["DID_RENEW"]),
                ("cancel", [:], ["DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED"]),
                ("cancel", [:], []),
                ("uncancel", [:], ["DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED"]),
                ("billing-issue", [:], ["DID_FAIL_TO_RENEW"]),
                ("recover", [:], ["DID_RENEW.BILLING_RECOVERY"]),
                ("billing-issue", ["grace_days": 16], ["DID_FAIL_TO_RENEW.GRACE_PERIOD"]),
                ("end-grace", [:], ["GRACE_PERIOD_EXPIRED"]),
                ("renew", [:], ["DID_RENEW.BILLING_RECOVERY"]),
                (
                    "change-product", ["product_id": yearly, "mode": "downgrade"],
                    ["DID_CHANGE_RENEWAL_PREF.DOWNGRADE"]
                ),
                ("change-product", ["product_id": monthly, "mode": "downgrade"], ["DID_CHANGE_RENEWAL_PREF"]),
                ("transfer", ["to_user_id": "bob"], []),
            ]
            var expected = ["SUBSCRIBED.INITIAL_BUY"]
            for (control, members, types) in steps {
                try await stores.step("\(path)/\(control)", members)
                expected += types
            }
            #expect(try receiver.notifications(root: stores.root).map(\.type) == expected)
        }
    }

    @Test
    func `the ends of a subscription are reported with their reasons`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let id = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            try await stores.step(
                "subscriptions/\(id)/change-product",
                ["product_id": yearly, "mode": "upgrade"]
            )
            try await stores.step("clock", ["advance_seconds": 10, "renew": false])
            try await stores.step("subscriptions/\(id)/expire")
            _ = try await stores.buy(yearly)
            try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 3])
            try await stores.step("clock", ["advance_seconds": 10, "renew": false])
            try await stores.step("subscriptions/\(id)/expire")
            let types = try receiver.notifications(root: stores.root).map(\.type)
            #expect(
                types == [
                    "SUBSCRIBED.INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF.UPGRADE", "EXPIRED.VOLUNTARY",
                    "SUBSCRIBED.RESUBSCRIBE", "DID_FAIL_TO_RENEW.GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
                    "EXPIRED.BILLING_RETRY",
                ]
            )
        }
    }

    @Test
    func `each change of a purchase is notified once`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let id = try #require(try await stores.buy().text("transaction_id"))
            for control in [
                "consumption-request", "refund", "refund", "refund-reverse", "finish", "revoke", "revoke",
            ] {
                try await stores.step("transactions/\(id)/\(control)")
            }
            let notifications = try receiver.notifications(root: stores.root)
            #expect(
                notifications.map(\.type) == [
                    "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED", "REVOKE",
                ]
            )
            #expect(notifications[1].data?.text("consumptionRequestReason") != nil)
            let dates = notifications.compactMap { $0.payload.number("signedDate") }
            #expect(Set(dates).count == dates.count)
            #expect(dates == dates.sorted())
        }
    }

    @Test
    func `a notification holds the signed transaction, the signed renewal and the status`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            for (control, members) in [
                ("billing-issue", ["grace_days": 16]), ("end-grace", [:]), ("recover", [:]),
            ] as [(String, [String: any Sendable])] {
                try await stores.step("subscriptions/\(id)/\(control)", members)
            }
            try await stores.step("transactions/\(sale.text("transaction_id") ?? "")/refund")
            let notifications = try receiver.notifications(root: stores.root)
            #expect(notifications.map { $0.data?.number("status") } == [1, 4, 3, 1, 1])
            let data = try #require(notifications[1].data)
            #expect(data.text("bundleId") == "com.example.app")
            #expect(data.number("appAppleId") != nil)
            let transaction = try SignedData(data.text("signedTransactionInfo"), root: stores.root).payload
            #expect(transaction.text("transactionId") == id)
            let renewal = try SignedData(data.text("signedRenewalInfo"), root: stores.root).payload
            #expect(renewal.text("originalTransactionId") == id)
            #expect(renewal.number("autoRenewStatus") == 1)
            #expect(renewal.json["isInBillingRetryPeriod"] as? Bool == true)
            #expect(renewal.number("gracePeriodExpiresDate") != nil)
            let refund = try #require(notifications.last?.data)
            let refunded = try SignedData(refund.text("signedTransactionInfo"), root: stores.root).payload
            #expect(refunded.text("transactionId") == id)
        }
    }

    @Test
    func `the App Store does not report a purchase at Google Play`() async throws {
        try await Receiver.run { stores, receiver async throws in
            _ = try await stores.buy(starter, ["store": "play_store"])
            #expect(receiver.bodies.isEmpty)
        }
    }

    @Test
    func `a year of a subscription takes seconds`() async throws {
        try await Receiver.run { stores, receiver async throws in
            let id = try #require(try await stores.buy(monthly).text("original_transaction_id"))
            var months: [Duration] = []
            for _ in 0..<12 {
                let start = ContinuousClock.now
                try await stores.step("clock", ["advance_seconds": 3_600, "renew": false])
                try await stores.step("subscriptions/\(id)/renew")
                months.append(start.duration(to: .now))
            }
            #expect(receiver.bodies.count == 13)
            // A busy machine may take longer, but not in every month. Stores that wait for the receiver in vain take 15
            // seconds in every month.
            #expect(try #require(months.suffix(6).min()) < .seconds(2))
        }
    }
}
