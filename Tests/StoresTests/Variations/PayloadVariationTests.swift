import Foundation
import TestSupport
import Testing

@testable import Stores

/// Tests that vary every member of every sample payload: missing, null, another type, empty, long ago, far ahead.
///
/// A variation must never grant more than the sample, and must only cause documented errors.
@Suite(.serialized)
struct PayloadVariationTests {
    private static func expectNoMore(
        _ samples: [VariedSample],
        refusedWith codes: Set<StoreError.Code> = [.unreadable]
    ) async throws {
        var total = VariedSample.Findings()
        for sample in samples {
            let findings = try await sample.findings(refusedWith: codes)
            total.variations += findings.variations
            total.refused += findings.refused
            total.complaints += findings.complaints
        }
        print("variations: \(samples.count) samples, \(total.variations) variations, \(total.refused) refused")
        #expect(total.complaints.isEmpty, "\(total.complaints.joined(separator: "\n"))")
    }

    @Test
    func `RevenueCat's webhooks`() async throws {
        var samples: [VariedSample] = []
        for type in [
            "INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "CANCELLATION", "UNCANCELLATION", "BILLING_ISSUE",
            "SUBSCRIPTION_PAUSED", "EXPIRATION", "PRODUCT_CHANGE", "SUBSCRIPTION_EXTENDED", "REFUND_REVERSED",
        ] {
            samples.append(.revenueCat(type, try RevenueCatPost.purchase(type)))
        }
        let trial: [String: (any Sendable)?] = ["period_type": "TRIAL", "is_family_share": nil]
        samples.append(.revenueCat("trial", try RevenueCatPost.purchase("INITIAL_PURCHASE", trial)))
        let shared = ["is_family_share": true, "environment": "SANDBOX"] as [String: (any Sendable)?]
        samples.append(.revenueCat("shared", try RevenueCatPost.purchase("RENEWAL", shared)))
        samples.append(
            .revenueCat(
                "currency",
                try RevenueCatPost.envelope([
                    "id": "evt-3", "type": "VIRTUAL_CURRENCY_TRANSACTION", "event_timestamp_ms": 1_790_000_000_000,
                    "app_user_id": "ann", "store": "APP_STORE", "purchase_environment": "PRODUCTION",
                    "transaction_id": "2000", "product_id": "pack", "purchased_at_ms": 1_790_000_000_000,
                    "source": "in_app_purchase",
                    "adjustments": [["amount": 100, "currency": ["code": "CRD"]] as [String: any Sendable]],
                ])
            )
        )
        try await Self.expectNoMore(samples)
    }

    @Test(.enabled(if: ThirdPartyFiles.arePresent))
    func `published webhooks and customers of RevenueCat`() async throws {
        var samples: [VariedSample] = []
        for name in try ThirdPartyFiles.names(in: "revenuecat") where name.hasSuffix(".json") {
            let bytes = try ThirdPartyFiles.bytes(of: "revenuecat/\(name)")
            switch name {
            case "hmac-vectors.json": continue
            case "subscriber-v1-example.json": samples.append(.customer(name, bytes))
            default: samples.append(.revenueCat(name, bytes))
            }
        }
        #expect(samples.count > 10)
        try await Self.expectNoMore(samples)
    }

    @Test
    func `customers of RevenueCat`() async throws {
        let record = #"""
            "purchase_date":"2026-08-01T00:00:00Z","original_purchase_date":"2026-08-01T00:00:00Z","store":"app_store",
            "is_sandbox":false,"store_transaction_id":"2000","period_type":"trial","ownership_type":"PURCHASED",
            "expires_date":"2026-09-01T00:00:00Z","unsubscribe_detected_at":null,"refunded_at":null
            """#
        let refunded = record.replacing(#""refunded_at":null"#, with: #""refunded_at":"2026-08-20T00:00:00Z""#)
        let shared = record.replacing("PURCHASED", with: "FAMILY_SHARED").replacing("false", with: "true")
        func customer(_ subscriptions: String) -> Data {
            Data(#"{"request_date_ms":1790000000000,"subscriber":{\#(subscriptions)}}"#.utf8)
        }
        try await Self.expectNoMore([
            .customer("trial", customer(#""subscriptions":{"plan":{\#(record)}}"#)),
            .customer("refunded", customer(#""subscriptions":{"plan":{\#(refunded)}}"#)),
            .customer("shared", customer(#""subscriptions":{"plan":{\#(shared)}}"#)),
            .customer("pack", customer(#""non_subscriptions":{"pack":[{\#(record)}]}"#)),
        ])
    }

    @Test
    func `pushes of Google Play`() async throws {
        var samples: [VariedSample] = []
        for member in [
            #""subscriptionNotification":{"version":"1.0","notificationType":2,"purchaseToken":"tok","subscriptionId":"plan"}"#,
            #""oneTimeProductNotification":{"version":"1.0","notificationType":1,"purchaseToken":"tok","sku":"pack"}"#,
            #""voidedPurchaseNotification":{"purchaseToken":"tok","orderId":"GPA.1..2","productType":1,"refundType":1}"#,
            #""testNotification":{"version":"1.0"}"#,
        ] {
            samples.append(.push("outer", try GooglePlayServer.push(member), isInner: false))
            let inner =
                #"{"version":"1.0","packageName":"com.example.app","eventTimeMillis":"1790000000000",\#(member)}"#
            samples.append(.push("inner", Data(inner.utf8), isInner: true))
        }
        try await Self.expectNoMore(samples, refusedWith: [.unreadable, .wrongApp])
    }

    @Test(arguments: ["ACTIVE", "CANCELED", "PENDING", "IN_GRACE_PERIOD", "ON_HOLD", "PAUSED", "EXPIRED"])
    func `subscriptions of Google Play`(state: String) async throws {
        let isOver = ["IN_GRACE_PERIOD", "ON_HOLD", "PAUSED", "EXPIRED"].contains(state)
        let expiry = isOver && state != "IN_GRACE_PERIOD" ? "2026-09-10T00:00:00Z" : "2026-11-01T00:00:00Z"
        func answer(_ more: String, item: String) -> String {
            #"""
            {"subscriptionState":"SUBSCRIPTION_STATE_\#(state)","startTime":"2026-08-01T00:00:00.5Z","regionCode":"US",
            "acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING","latestOrderId":"GPA.1..0",\#(more)
            "externalAccountIdentifiers":{"obfuscatedExternalAccountId":"0f1e2d3c-4b5a-4968-8776-655443322110"},
            "lineItems":[{"productId":"plan","expiryTime":"\#(expiry)","latestSuccessfulOrderId":"GPA.1..0",\#(item)
            "autoRenewingPlan":{"autoRenewEnabled":true},"offerDetails":{"basePlanId":"monthly","offerTags":["gold"]}}]}
            """#
        }
        try await Self.expectNoMore([
            .playSubscription(state, answer("", item: ""), isOver: isOver),
            .playSubscription("\(state), linked", answer(#""linkedPurchaseToken":"old","#, item: ""), isOver: isOver),
            .playSubscription(
                "\(state), a tester's trial",
                answer(#""testPurchase":{},"#, item: #""offerPhase":{"freeTrial":{}},"#),
                isOver: isOver
            ),
        ])
    }

    @Test
    func `products of Google Play`() async throws {
        let one = #"""
            {"kind":"androidpublisher#productPurchase","purchaseTimeMillis":"1789000000000","purchaseState":0,
            "consumptionState":0,"orderId":"GPA.7","acknowledgementState":0,"quantity":3,"refundableQuantity":2,
            "productId":"pack","purchaseToken":"tok","obfuscatedExternalAccountId":"x","regionCode":"US"}
            """#
        let many = #"""
            {"purchaseStateContext":{"purchaseState":"PURCHASED"},"orderId":"GPA.7","testPurchaseContext":{"fopType":"T"},
            "purchaseCompletionTime":"2026-09-01T00:00:00Z","acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING",
            "productLineItem":[{"productId":"pack","productOfferDetails":{"quantity":2,"refundableQuantity":1,
            "consumptionState":"CONSUMPTION_STATE_YET_TO_BE_CONSUMED"}}]}
            """#
        var samples: [VariedSample] = [.playProduct("v2", Data(many.utf8), of: nil)]
        for change in [
            ("purchaseState\":0", "purchaseState\":0"), ("purchaseState\":0", "purchaseState\":1"),
            ("purchaseState\":0", "purchaseState\":2"), ("\"regionCode\"", "\"purchaseType\":0,\"regionCode\""),
        ] {
            samples.append(
                .playProduct(change.1, Data(one.replacing(change.0, with: change.1).utf8), of: "pack")
            )
        }
        if ThirdPartyFiles.arePresent {
            let vector = try JSONSerialization.jsonObject(
                with: try ThirdPartyFiles.bytes(of: "google/play_store_product_purchases_valid_but_not_consumed.json")
            )
            let body = try #require((vector as? [String: Any])?["body"])
            let json = try JSONSerialization.data(withJSONObject: body)
            samples.append(.playProduct("published", json, of: "my_product_id"))
        }
        try await Self.expectNoMore(samples, refusedWith: [.unreadable, .rejected])
    }

    @Test
    func `responses to receipts`() async throws {
        let whole = #"""
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.app",
            "request_date":"2026-01-15 08:00:00 Etc/GMT","request_date_ms":"1800000000123","in_app":[{"quantity":"3",
            "product_id":"starter","transaction_id":"100","original_transaction_id":"100","is_trial_period":"false",
            "purchase_date":"2023-11-14 22:13:20 Etc/GMT","purchase_date_ms":"1700000000000"}]},"latest_receipt_info":[
            {"quantity":"1","product_id":"monthly","transaction_id":"w1","original_transaction_id":"7",
            "web_order_line_item_id":"l1","purchase_date_ms":"1799000000000","is_trial_period":"true",
            "expires_date":"2027-02-01 00:00:00 Etc/GMT","expires_date_ms":"1801000000000",
            "in_app_ownership_type":"PURCHASED"},
            {"quantity":"1","product_id":"monthly","transaction_id":"w2","original_transaction_id":"7",
            "web_order_line_item_id":"l2","purchase_date_ms":"1799000000000","is_upgraded":"false",
            "expires_date_ms":"1801000000000","cancellation_date":"2027-01-10 00:00:00 Etc/GMT",
            "cancellation_date_ms":"1799500000000","cancellation_reason":"0"}],
            "pending_renewal_info":[{"original_transaction_id":"7","product_id":"monthly","auto_renew_status":"1",
            "grace_period_expires_date_ms":"1801100000000","is_in_billing_retry_period":"1"}]}
            """#
        let text = #"""
            {"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[{"quantity":"1","product_id":"monthly",
            "transaction_id":"w3","original_transaction_id":"7","purchase_date_ms":"1799000000000",
            "expires_date":"2026-11-22 10:00:00 Etc/GMT","is_trial_period":"false"}]}}
            """#
        let old = #"""
            {"status":0,"receipt":{"bid":"com.example.app","product_id":"monthly","transaction_id":"1",
            "original_transaction_id":"1","quantity":"1","purchase_date_ms":"1799000000000","expires_date":"1799900000000",
            "expires_date_formatted":"2027-01-14 04:53:20 Etc/GMT"}}
            """#
        try await Self.expectNoMore([.receipt("whole", whole), .receipt("text", text), .receipt("old", old)])
    }

    @Test
    func `App Store transactions`() async throws {
        let shapes: [(String, [String: any Sendable])] = [
            ("pack", SignedData.transaction(["quantity": 3])), ("period", SignedData.period()),
            ("trial", SignedData.period(["offerType": 1, "offerDiscountType": "FREE_TRIAL", "price": 0])),
            ("shared", SignedData.period(["inAppOwnershipType": "FAMILY_SHARED", "environment": "Sandbox"])),
            (
                "refunded",
                SignedData.period([
                    "revocationDate": SignedData.milliseconds, "revocationReason": 0,
                    "revocationType": "REFUND_PRORATED",
                    "revocationPercentage": 50_000,
                ])
            ),
            ("over", SignedData.period(["expiresDate": SignedData.milliseconds - 1_000])),
        ]
        var samples = try shapes.map { name, payload in
            VariedSample.transaction(name, try JSONSerialization.data(withJSONObject: payload))
        }
        if AppleVectors.isPresent {
            for name in ["signedTransaction", "signedTransactionWithRevocation"] {
                let text = String(decoding: try AppleVectors.model(name), as: UTF8.self)
                samples.append(.transaction(name, Data(text.replacing("LocalTesting", with: "Production").utf8)))
            }
        }
        try await Self.expectNoMore(samples, refusedWith: [.unreadable, .wrongEnvironment])
    }

    @Test(arguments: ["DID_RENEW", "REFUND", "EXPIRED", "SOMETHING_NEW"])
    func `App Store notifications are never refused because of their contents`(type: String) async throws {
        let authority = try SigningAuthority()
        let verifier = try SignedData.verifier(under: authority)
        let parts = SignedParts(
            authority: authority,
            outer: SignedData.notification(type, nil),
            transaction: SignedData.period(["offerType": 1, "offerDiscountType": "FREE_TRIAL"]),
            renewal: SignedData.renewal(["gracePeriodExpiresDate": SignedData.milliseconds])
        )
        for part in [SignedParts.Part.transaction, .renewal] {
            let sample = try VariedSample.notification(type, varying: part, of: parts, accordingTo: verifier)
            try await Self.expectNoMore([sample])
        }
        // A notification of another app, or signed outside its certificate's validity, is refused.
        let outer = try VariedSample.notification(type, varying: .outer, of: parts, accordingTo: verifier)
        try await Self.expectNoMore([outer], refusedWith: [.unreadable, .wrongApp, .invalidCertificate])
    }
}
