import Crypto
import Foundation
import Stores

/// The time at which the tests receive webhooks.
let webhookArrival = Date(timeIntervalSince1970: 1_790_800_914)

/// Webhooks in RevenueCat's format, with its signature.
enum RevenueCatPost {
    static let secret = "whsec_of_the_tests"

    /// Returns a purchase event with the members common to all, and the given changes; nil removes a member.
    static func purchase(_ type: String, _ changes: [String: (any Sendable)?] = [:]) throws -> Data {
        var event: [String: (any Sendable)?] = [
            "id": "evt-1",
            "type": type,
            "event_timestamp_ms": 1_790_000_000_000,
            "app_user_id": "ann",
            "original_app_user_id": "$RCAnonymousID:1",
            "aliases": ["ann", "$RCAnonymousID:1", "anna"],
            "product_id": "com.example.plan.monthly",
            "period_type": "NORMAL",
            "purchased_at_ms": 1_789_900_000_000,
            "expiration_at_ms": 1_792_500_000_000,
            "store": "APP_STORE",
            "environment": "PRODUCTION",
            "transaction_id": "2000",
            "original_transaction_id": "1000",
            "is_family_share": false,
        ]
        event.merge(changes) { $1 }
        return try self.envelope(event.compactMapValues { $0 })
    }

    static func envelope(_ event: [String: any Sendable]) throws -> Data {
        try JSONSerialization.data(withJSONObject: ["api_version": "1.0", "event": event])
    }

    static func signature(of body: Data, at time: Date = webhookArrival, secret: String = Self.secret) -> String {
        let seconds = Int(time.timeIntervalSince1970)
        return "t=\(seconds),v1=\(self.code(of: body, at: "\(seconds)", secret: secret))"
    }

    static func code(of body: Data, at time: String, secret: String = Self.secret) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(time).".utf8) + body,
            using: SymmetricKey(data: Data(secret.utf8))
        )
        return code.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
    }
}

extension RevenueCatWebhook {
    init(
        authorizations: [String] = [],
        signingSecrets: [String] = [],
        currencyCode: String? = nil,
        at now: Date = webhookArrival
    ) {
        let configuration = RevenueCatWebhookConfiguration(
            authorizations: authorizations,
            signingSecrets: signingSecrets,
            currencyCode: currencyCode
        )
        self.init(configuration: configuration, now: { now })
    }

    /// Returns the code of the error that the verification throws, or nil.
    func refusal(authorization: String? = nil, signature: String? = nil, of body: Data) -> StoreError.Code? {
        do throws(StoreError) {
            try self.verify(authorization: authorization, signature: signature, body: body)
            return nil
        } catch {
            return error.code
        }
    }

    /// Returns the code of the error that the decoding throws, or nil.
    func unreadable(_ body: Data) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try self.event(from: body)
            return nil
        } catch {
            return error.code
        }
    }
}
