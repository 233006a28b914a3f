import Foundation
import Stores
import Testing

@Suite
struct GooglePlayNotificationTests {
    private let notifications = GooglePlayNotifications(packageName: playPackage)

    private func event(_ notification: String, time: String = #""1790000000000""#) throws -> StoreEvent {
        try self.notifications.event(from: try GooglePlayServer.push(notification, time: time))
    }

    private func code(_ body: Data) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try self.notifications.event(from: body)
            return nil
        } catch {
            return error.code
        }
    }

    @Test
    func `a notification of a subscription leads to a query about it`() throws {
        let event = try self.event(
            #""subscriptionNotification":{"notificationType":2,"purchaseToken":"tok","subscriptionId":"plan"}"#
        )
        #expect(event.source == .googlePlay)
        #expect(event.id == "projects/p/s 77")
        #expect(event.type == "SUBSCRIPTION_RENEWED")
        #expect(event.statements.isEmpty)
        #expect(
            event.question
                == .init(
                    kind: .subscription,
                    productID: "plan",
                    purchaseToken: "tok",
                    at: playNow,
                    occasion: .renewal
                )
        )
    }

    @Test(arguments: [
        (1, StoreFact.Occasion.renewal), (3, .cancellation), (4, .renewal), (5, .billingIssue), (6, .billingIssue),
        (7, .uncancellation), (8, nil), (9, nil), (10, .cancellation), (11, nil), (12, .expiration), (13, .expiration),
        (17, nil), (18, .cancellation), (19, nil), (20, .cancellation), (22, nil), (99, nil),
    ])
    func `every type of subscription notification leads to a query`(number: Int, occasion: StoreFact.Occasion?) throws {
        let event = try self.event(
            #""subscriptionNotification":{"notificationType":\#(number),"purchaseToken":"tok"}"#
        )
        #expect(event.question?.occasion == occasion)
        #expect(event.question?.purchaseToken == "tok")
        #expect(event.ignored == nil)
    }

    @Test
    func `a purchased product needs a query, one without payment is ignored`() throws {
        let bought = try self.event(
            #""oneTimeProductNotification":{"notificationType":1,"purchaseToken":"tok","sku":"pack"}"#
        )
        #expect(bought.question == .init(kind: .product, productID: "pack", purchaseToken: "tok", at: playNow))
        let several = try self.event(#""oneTimeProductNotification":{"notificationType":1,"purchaseToken":"tok"}"#)
        #expect(several.question == .init(kind: .product, purchaseToken: "tok", at: playNow))
        let cancelled = try self.event(
            #""oneTimeProductNotification":{"notificationType":2,"purchaseToken":"tok","sku":"pack"}"#
        )
        #expect(cancelled.question == nil)
        #expect(cancelled.ignored == "never-paid")
        let new = try self.event(#""oneTimeProductNotification":{"notificationType":3,"purchaseToken":"t"}"#)
        #expect(new.ignored == "unknown-type")
    }

    @Test
    func `a voided purchase is refunded in full, a partial refund needs a query`() throws {
        func voided(_ product: Int, _ refund: Int) throws -> StoreEvent.Lookup? {
            try self.event(
                """
                "voidedPurchaseNotification":{"purchaseToken":"tok","orderId":"GPA.1","productType":\(product),
                "refundType":\(refund)}
                """
            ).question
        }
        let whole = try #require(try voided(2, 1))
        #expect(whole.isVoided)
        #expect(whole.kind == .product)
        #expect(whole.orderID == "GPA.1")
        #expect(whole.occasion == .refund)
        #expect(try voided(2, 2)?.isVoided == false)
        #expect(try voided(1, 1)?.kind == .subscription)
        #expect(throws: StoreError.self) { _ = try voided(3, 1) }
    }

    @Test
    func `a refund review names its order and its token`() throws {
        let event = try self.event(
            #""pendingRefundReviewNotification":{"version":"1.0","pendingRefundToken":"r","orderId":"GPA.1","refundReason":7}"#
        )
        #expect(event.type == "PENDING_REFUND_REVIEW")
        #expect(event.refundReview == StoreEvent.RefundReview(token: "r", orderID: "GPA.1"))
        #expect(event.ignored == nil && event.question == nil)
        for body in ["{}", #"{"orderId":"GPA.1"}"#, #"{"pendingRefundToken":"r"}"#] {
            #expect(throws: StoreError.self) {
                _ = try self.event(#""pendingRefundReviewNotification":\#(body)"#)
            }
        }
    }

    @Test
    func `tests and unknown notifications are ignored`() throws {
        #expect(try self.event(#""testNotification":{"version":"1.0"}"#).ignored == "test")
        #expect(try self.event(#""somethingNew":{"purchaseToken":"t"}"#).ignored == "unknown-type")
    }

    @Test
    func `the time may be a JSON number`() throws {
        let news = #""subscriptionNotification":{"notificationType":2,"purchaseToken":"tok"}"#
        #expect(try self.event(news, time: "1790000000000").question?.at == "2026-09-21T14:13:20.000Z")
        #expect(self.code(try GooglePlayServer.push(news, time: #""soon""#)) == .unreadable)
    }

    @Test
    func `another app's notification is refused`() throws {
        let body = try GooglePlayServer.push(#""testNotification":{}"#, package: "com.example.other")
        #expect(self.code(body) == .wrongApp)
    }

    @Test(arguments: [
        #""testNotification":{},"oneTimeProductNotification":{"notificationType":1,"purchaseToken":"t","sku":"p"}"#,
        #""subscriptionNotification":{"notificationType":2}"#, #""subscriptionNotification":{"purchaseToken":"t"}"#,
        #""subscriptionNotification":{"notificationType":"x","purchaseToken":"t"}"#,
        #""subscriptionNotification":{"notificationType":2,"purchaseToken":7}"#, #""subscriptionNotification":[]"#,
        #""oneTimeProductNotification":{"notificationType":1,"sku":"p"}"#,
        #""voidedPurchaseNotification":{"purchaseToken":"t","refundType":1}"#,
    ])
    func `a notification with two subjects, or without a required member, is unreadable`(notification: String) throws {
        #expect(self.code(try GooglePlayServer.push(notification)) == .unreadable)
    }

    @Test
    func `text that is not a push is unreadable`() throws {
        let good = String(decoding: try GooglePlayServer.push(#""testNotification":{}"#), as: UTF8.self)
        let broken = [
            "", "[]", "{}", String(good.dropLast()), good.replacing("messageId", with: "m"),
            good.replacing("subscription", with: "s"), good.replacing(#""data":""#, with: #""data":"%"#),
            #"{"message":{"data":7,"messageId":"1"},"subscription":"s"}"#,
            #"{"message":{"data":"e30=","messageId":"1"},"subscription":"s"}"#,
        ]
        for body in broken {
            #expect(self.code(Data(body.utf8)) == .unreadable, "\(body)")
        }
        #expect(self.code(Data(repeating: 0x20, count: 300_000)) == .unreadable)
    }

    @Test(
        .enabled(if: ThirdPartyFiles.arePresent),
        arguments: [
            ("one_time_purchased", "ONE_TIME_PRODUCT_PURCHASED", StoreEvent.Lookup.Kind.product, false),
            ("subscription_purchased", "SUBSCRIPTION_PURCHASED", .subscription, false),
            ("voided_one_time_full", "VOIDED_PURCHASE", .product, true),
            ("voided_quantity_partial", "VOIDED_PURCHASE.QUANTITY_PARTIAL", .product, false),
            ("test", "TEST", nil, nil),
        ]
    )
    func `a published push has its type and its query`(
        name: String,
        type: String,
        kind: StoreEvent.Lookup.Kind?,
        isVoided: Bool?
    ) throws {
        let vector = try JSONSerialization.jsonObject(with: try ThirdPartyFiles.bytes(of: "google/rtdn/\(name).json"))
        let push = try #require((vector as? [String: Any])?["push_body"])
        let body = try JSONSerialization.data(withJSONObject: push)
        let event = try GooglePlayNotifications(packageName: "com.some.thing").event(from: body)
        #expect(event.type == type)
        #expect(event.question?.kind == kind)
        #expect(event.question?.isVoided == isVoided)
        #expect(event.id.hasPrefix("projects/myproject/subscriptions/mysubscription 13696934694"))
        #expect(self.code(body) == .wrongApp)
    }
}
