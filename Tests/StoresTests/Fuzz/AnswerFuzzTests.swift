import Foundation
import JSON
import TestSupport
import Testing

@testable import Stores

/// Fuzz tests of the stores' responses.
@Suite(.serialized) struct AnswerFuzzTests {
    /// A regression test for a case found by fuzzing: 500 brackets around a number took two seconds.
    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `nesting costs no time`(open: String, close: String) async throws {
        func document(_ depth: Int) -> Data {
            let value = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            return Data(#"{"text":"\"[[[{{{","value":\#(value)}"#.utf8)
        }
        #expect((try? StoreDocument(parsing: document(31))) != nil)
        let took = try await quickest {
            for depth in [32, 500, 100_000] { #expect((try? StoreDocument(parsing: document(depth))) == nil) }
        }
        #expect(took < .seconds(1))
    }

    @Test func `responses of verifyReceipt are read or refused`() async throws {
        let seeds = [
            #"""
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.app",
            "request_date_ms":"1700000000123","in_app":[{"quantity":"1","product_id":"starter","transaction_id":"100",
            "original_transaction_id":"100","purchase_date_ms":"1700000000000","is_trial_period":"false",
            "cancellation_date_ms":"1700000009000","app_account_token":"0f1e2d3c-4b5a-4968-8776-655443322110"}]},
            "latest_receipt_info":[{"quantity":"1","product_id":"monthly","transaction_id":"101",
            "original_transaction_id":"7","web_order_line_item_id":"w1","purchase_date_ms":"1700000000000",
            "expires_date_ms":"1700000100000","in_app_ownership_type":"PURCHASED"}],
            "pending_renewal_info":[{"original_transaction_id":"7","product_id":"monthly","auto_renew_status":"1",
            "is_in_billing_retry_period":"1","grace_period_expires_date_ms":"1700000200000"}]}
            """#,
            #"""
            {"status":21006,"receipt":{"bid":"com.example.app","product_id":"monthly","transaction_id":"5","quantity":"1",
            "original_transaction_id":"5","purchase_date_ms":"1700000000000","expires_date":"1700000100000"},
            "latest_expired_receipt_info":{"transaction_id":"5","product_id":"monthly"}}
            """#,
            #"{"status":21100,"is-retryable":"1"}"#,
        ].map { Data($0.utf8) }
        try await Fuzzer("verifyReceipt").run { random in
            try FuzzJSON.mutated(random.pick(seeds), &random)
        } check: { bytes in
            do {
                let answer = try JSONDecoder().decode(VerifyReceiptAnswer.self, external: Data(bytes))
                let reading = try ReceiptReading(
                    of: answer,
                    environment: .production,
                    receiptSHA256: "00",
                    now: signingTime
                )
                _ = try reading.bundleID()
                _ = try reading.agreesOnEnvironment()
            } catch is DecodingError {
            } catch is StoreRecord.Unreadable {}
        }
    }

    @Test func `responses of Google Play are read or refused`() async throws {
        let seeds = [
            #"""
            {"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","startTime":"2026-08-01T00:00:00.000000000Z",
            "acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING","linkedPurchaseToken":"old",
            "externalAccountIdentifiers":{"obfuscatedExternalAccountId":"0f1e2d3c-4b5a-4968-8776-655443322110"},
            "canceledStateContext":{"userInitiatedCancellation":{"cancelTime":"2026-08-02T00:00:00Z"}},
            "lineItems":[{"productId":"plan","expiryTime":"2026-11-01T00:00:00Z","latestSuccessfulOrderId":"GPA.1..3",
            "autoRenewingPlan":{"autoRenewEnabled":true},"offerDetails":{"basePlanId":"monthly","offerId":"x"}}]}
            """#,
            #"""
            {"purchaseTimeMillis":"1790000000000","purchaseState":0,"consumptionState":0,"orderId":"GPA.2","quantity":3,
            "refundableQuantity":2,"acknowledgementState":0,"purchaseType":0,"productId":"pack","purchaseToken":"tok"}
            """#,
            #"""
            {"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","startTime":"2026-08-01T00:00:00Z","lineItems":[
            {"productId":"base","expiryTime":"2026-11-01T00:00:00Z","latestSuccessfulOrderId":"GPA.4..1",
            "autoRenewingPlan":{"autoRenewEnabled":true},"offerDetails":{"basePlanId":"monthly"}},
            {"productId":"addon","expiryTime":"2026-11-01T00:00:00Z","latestSuccessfulOrderId":"GPA.4..1",
            "autoRenewingPlan":{},"offerDetails":{"basePlanId":"monthly"}},
            {"productId":"later","deferredItemReplacement":{"productId":"addon"}}],
            "outOfAppPurchaseContext":{"expiredPurchaseToken":"old","expiredExternalAccountIdentifiers":{
            "obfuscatedExternalAccountId":"0f1e2d3c-4b5a-4968-8776-655443322110"}}}
            """#,
            #"""
            {"orderId":"GPA.5","purchaseCompletionTime":"2026-08-01T00:00:00Z","purchaseStateContext":{"purchaseState":
            "PURCHASED"},"productLineItem":[{"productId":"pack","productOfferDetails":{"quantity":2}},{"productId":
            "pass","productOfferDetails":{"refundableQuantity":0}},{"productId":"pack","productOfferDetails":{}}]}
            """#,
            #"""
            {"orderId":"GPA.3","purchaseCompletionTime":"2026-08-01T00:00:00Z","purchaseStateContext":{"purchaseState":
            "PURCHASED"},"productLineItem":[{"productId":"pack","productOfferDetails":{"quantity":2,
            "refundableQuantity":1,"consumptionState":"CONSUMPTION_STATE_YET_TO_BE_CONSUMED"}}]}
            """#,
        ].map { Data($0.utf8) }
        try await Fuzzer("Google Play answers").run { random in
            try FuzzJSON.mutated(random.pick(seeds), &random)
        } check: { bytes in
            guard let answer = try? StoreDocument(parsing: Data(bytes)) else { return }
            let subscription = GooglePlaySubscription(
                answer: answer,
                token: "tok",
                renewedAt: signingTime,
                answeredAt: signingTime
            )
            var facts = (try? subscription.facts()) ?? []
            let product = GooglePlayProduct(answer: answer, token: "tok", answeredAt: signingTime)
            if let fact = try? product.fact(of: "pack") { facts.append(fact) }
            let second = GooglePlayProductV2(answer: answer, token: "tok", answeredAt: signingTime)
            facts += (try? second.facts()) ?? []
            for fact in facts { _ = try JSONEncoder().encode(fact) }
        }
    }

    /// An instant that does not exist must never become an instant of a purchase, and no other must be refused.
    @Test func `instants in answers are read exactly, or refused`() async throws {
        try await Fuzzer("answers' instants").run { random in
            // The input is the seed of an instant, so that the check can create the same instant.
            withUnsafeBytes(of: random.next()) { Array($0) }
        } check: { bytes in
            var random = FuzzRandom(seed: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }, number: 0)
            let instant = FuzzInstant(&random)
            for (reader, end) in try Self.ends(at: instant.text) {
                let seconds = end.map { Int($0.timeIntervalSince1970.rounded(.down)) }
                // Instants before 1970 and after 9999 may be read or refused.
                let isOutside = seconds.map { !(0..<253_402_300_800).contains($0) } ?? true
                guard instant.exists ? seconds == instant.seconds : isOutside else {
                    throw FuzzFailure("\(reader) reads \(instant.text) as \(end as Any)")
                }
            }
        }
    }

    /// Returns the end of a period that each reader finds in an answer; nil if it refuses the answer.
    private static func ends(at text: String) throws -> [(reader: String, end: Date?)] {
        let item = #""productId":"plan","latestSuccessfulOrderId":"GPA.1","expiryTime":"\#(text)""#
        let subscription = GooglePlaySubscription(
            answer: try StoreDocument(
                parsing: Data(
                    #"""
                    {"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","startTime":"1970-01-01T00:00:00Z",
                    "lineItems":[{\#(item)}]}
                    """#.utf8
                )
            ),
            token: "tok",
            renewedAt: nil,
            answeredAt: signingTime
        )
        let customer = Data(
            #"""
            {"request_date_ms":1790000000000,"subscriber":{"subscriptions":{"plan":{"expires_date":"\#(text)",
            "purchase_date":"1970-01-01T00:00:00Z","store":"app_store","is_sandbox":false,"period_type":"normal",
            "store_transaction_id":"2000"}}}}
            """#.utf8
        )
        return [
            ("Google Play", try? subscription.facts().first?.expiresAt),
            ("RevenueCat", RevenueCatCustomer(customer, now: signingTime)?.facts.first?.expiresAt),
        ]
    }

    @Test func `responses of RevenueCat are read or refused`() async throws {
        let seeds = [
            #"""
            {"request_date_ms":1790000000000,"request_date":"2026-09-01T00:00:00Z","subscriber":{"subscriptions":{
            "monthly":{"expires_date":"2026-11-01T00:00:00Z","purchase_date":"2026-10-01T00:00:00Z",
            "original_purchase_date":"2026-08-01T00:00:00Z","store":"app_store","is_sandbox":false,
            "period_type":"normal","unsubscribe_detected_at":null,"billing_issues_detected_at":null,
            "grace_period_expires_date":null,"refunded_at":null,"store_transaction_id":"2000",
            "ownership_type":"PURCHASED"}},"non_subscriptions":{"pack":[{"id":"abc","is_sandbox":false,
            "purchase_date":"2026-10-01T00:00:00Z","store":"app_store","store_transaction_id":"3000"}]}}}
            """#,
            // A subscription with an add-on, and two packs of one purchase.
            #"""
            {"request_date_ms":1790000000000,"subscriber":{"subscriptions":{"base":{"expires_date":
            "2026-11-01T00:00:00Z","purchase_date":"2026-10-01T00:00:00Z","store":"play_store","is_sandbox":false,
            "period_type":"normal","store_transaction_id":"GPA.1..0","product_plan_identifier":"monthly"},"addon":{
            "expires_date":"2026-11-01T00:00:00Z","purchase_date":"2026-10-01T00:00:00Z","store":"play_store",
            "is_sandbox":false,"period_type":"normal","store_transaction_id":"GPA.1..0"}},"non_subscriptions":{"pack":[
            {"is_sandbox":false,"purchase_date":"2026-10-01T00:00:00Z","store":"play_store","store_transaction_id":
            "GPA.2"}],"pass":[{"is_sandbox":false,"purchase_date":"2026-10-01T00:00:00Z","store":"play_store",
            "store_transaction_id":"GPA.2"}]}}}
            """#,
        ].map { Data($0.utf8) }
        try await Fuzzer("RevenueCat answers").run { random in
            try FuzzJSON.mutated(random.pick(seeds), &random)
        } check: { bytes in
            for fact in RevenueCatCustomer(Data(bytes), now: signingTime)?.facts ?? [] {
                _ = try JSONEncoder().encode(fact)
            }
        }
    }
}
