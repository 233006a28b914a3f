import Foundation
import TestSupport
import Testing

@testable import Stores

/// Fuzz tests of the messages that stores post, and of their proof headers.
@Suite(.serialized) struct MessageFuzzTests {
    private static func expect(_ error: StoreError, _ codes: StoreError.Code...) throws {
        guard codes.contains(error.code) else { throw FuzzFailure("an undocumented error: \(error.code)") }
    }

    /// Encodes the facts and decodes them again.
    private static func keep(_ facts: [StoreFact]) throws {
        for fact in facts {
            let written = try JSONEncoder().encode(fact)
            let again = try JSONEncoder().encode(try JSONDecoder().decode(StoreFact.self, from: written))
            guard try JSONSerialization.isSame(written, again) else { throw FuzzFailure("a fact changed when kept") }
        }
    }

    /// The members of a subscription with two add-ons at Google Play.
    private static let addOns: [String: (any Sendable)?] = [
        "store": "PLAY_STORE", "transaction_id": "GPA.1..0", "original_transaction_id": "GPA.1", "product_id": "base",
        "items": [
            ["product_id": "base", "type": "base", "expiration_at_ms": 1_792_500_000_000],
            ["product_id": "addon:monthly", "type": "addon", "expiration_at_ms": 1_792_500_000_000],
            ["product_id": "extra", "type": "addon", "expiration_at_ms": 1_792_600_000_000],
        ] as [[String: any Sendable]],
    ]

    @Test func `RevenueCat's messages are read or refused`() async throws {
        let webhook = RevenueCatWebhook(currencyCode: "CRD")
        let seeds = try [
            RevenueCatPost.purchase("INITIAL_PURCHASE"), RevenueCatPost.purchase("RENEWAL"),
            RevenueCatPost.purchase("CANCELLATION", ["cancel_reason": "CUSTOMER_SUPPORT"]),
            RevenueCatPost.purchase("BILLING_ISSUE", ["grace_period_expiration_at_ms": 1_792_500_000_000]),
            RevenueCatPost.purchase("EXPIRATION"), RevenueCatPost.purchase("PRODUCT_CHANGE"),
            RevenueCatPost.purchase("NON_RENEWING_PURCHASE", ["expiration_at_ms": nil]),
            RevenueCatPost.purchase("RENEWAL", Self.addOns), RevenueCatPost.purchase("CANCELLATION", Self.addOns),
            RevenueCatPost.envelope([
                "id": "evt-2", "type": "TRANSFER", "event_timestamp_ms": 1_790_000_000_000, "store": "APP_STORE",
                "transferred_from": ["ann"], "transferred_to": ["ben"], "environment": "PRODUCTION",
            ]),
            RevenueCatPost.envelope([
                "id": "evt-3", "type": "VIRTUAL_CURRENCY_TRANSACTION", "event_timestamp_ms": 1_790_000_000_000,
                "app_user_id": "ann", "store": "APP_STORE", "purchase_environment": "PRODUCTION",
                "transaction_id": "2000", "product_id": "pack", "purchased_at_ms": 1_790_000_000_000,
                "adjustments": [["amount": 100, "currency": ["code": "CRD"]] as [String: any Sendable]],
            ]),
        ]
        try await Fuzzer("RevenueCat").run { random in
            try FuzzJSON.mutated(random.pick(seeds), &random)
        } check: { bytes in
            do throws(StoreError) {
                let event = try webhook.event(from: Data(bytes))
                do { try Self.keep(event.statements.map(\.fact)) } catch { throw StoreError(.misconfigured) }
            } catch { try Self.expect(error, .unreadable) }
        }
    }

    @Test func `no changed message of RevenueCat has a valid signature`() async throws {
        let webhook = RevenueCatWebhook(signingSecrets: [RevenueCatPost.secret])
        let body = try RevenueCatPost.purchase("RENEWAL")
        let header = RevenueCatPost.signature(of: body)
        try webhook.verify(authorization: nil, signature: header, body: body)
        let whole = Array(header.utf8) + [0x0A] + Array(body)
        try await Fuzzer("RevenueCat signature").run { random in
            FuzzBytes.mutated(whole, &random)
        } check: { bytes in
            let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
            let changed = Data(parts.count == 2 ? Array(parts[1]) : [])
            do throws(StoreError) {
                let signature = String(decoding: parts[0], as: UTF8.self)
                try webhook.verify(authorization: nil, signature: signature, body: changed)
                guard changed == body else { throw StoreError(.rejected) }
            } catch { try Self.expect(error, .unauthenticated) }
        }
    }

    @Test func `Google's pushes are read or refused`() async throws {
        let reader = GooglePlayNotifications(packageName: playPackage)
        let seeds = try [
            #""subscriptionNotification":{"notificationType":2,"purchaseToken":"tok","subscriptionId":"plan"}"#,
            #""oneTimeProductNotification":{"notificationType":1,"purchaseToken":"tok","sku":"pack"}"#,
            #""voidedPurchaseNotification":{"purchaseToken":"tok","orderId":"GPA.1..2","productType":1,"refundType":1}"#,
            #""testNotification":{"version":"1.0"}"#,
        ].map { try GooglePlayServer.push($0) }
        try await Fuzzer("Google Play push").run { random in
            let seed = random.pick(seeds)
            guard random.chance(60) else { return try FuzzJSON.mutated(seed, &random) }
            // Fuzzes the inner notification, without the envelope.
            let push = try JSONSerialization.jsonObject(with: seed) as? [String: Any]
            let message = push?["message"] as? [String: Any]
            let inner = Data(base64Encoded: message?["data"] as? String ?? "") ?? Data("{}".utf8)
            let data = Data(try FuzzJSON.mutated(inner, &random)).base64EncodedString()
            return Array(#"{"message":{"data":"\#(data)","messageId":"77"},"subscription":"projects/p/s"}"#.utf8)
        } check: { bytes in
            do throws(StoreError) {
                _ = try reader.event(from: Data(bytes))
            } catch { try Self.expect(error, .unreadable, .wrongApp) }
        }
    }

    @Test func `headers and receipts from apps are read or refused`() async throws {
        let seeds = [
            Data("an app's receipt".utf8).base64EncodedString(), #"{"transactionId":"1","bundleId":"com.example"}"#,
            "t=1790800914,v1=\(String(repeating: "0a", count: 32))", "120", "1790800914000", "9223372036854775807",
            "-1",
        ]
        try await Fuzzer("headers").run { random in
            Array(FuzzBytes.mutated(random.pick(seeds), &random).utf8)
        } check: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(StoreError) {
                _ = try ReceiptInput(text, maximumBytes: 1 << 20)
            } catch { try Self.expect(error, .malformedReceipt, .unsignedTransaction) }
            if let rest = StoreRetryAfter(text, now: signingTime), !(1...3_600).contains(rest.seconds) {
                throw FuzzFailure("a rest of \(rest.seconds) s")
            }
            _ = RevenueCatSignature(text)?.isFresh(at: signingTime, tolerance: .seconds(300))
            _ = InternetAddress(host: text)?.isPublic
            _ = InternetNetwork(text)?.contains(InternetAddress(v4: 1))
            _ = GooglePlayOrder.renewal(in: text)
        }
    }
}

extension JSONSerialization {
    /// Returns whether two JSON texts have the same value.
    fileprivate static func isSame(_ one: Data, _ other: Data) throws -> Bool {
        try self.jsonObject(with: one) as? NSDictionary == self.jsonObject(with: other) as? NSDictionary
    }
}
