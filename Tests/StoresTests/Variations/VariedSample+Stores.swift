import Foundation

@testable import Stores

extension VariedSample {
    /// Returns a sample of a RevenueCat webhook.
    static func revenueCat(_ name: String, _ json: Data) -> VariedSample {
        let webhook = RevenueCatWebhook(currencyCode: "CRD")
        return VariedSample(
            name: "RevenueCat \(name)",
            json: json,
            now: webhookArrival,
            // A payload for the buyer's own purchase may omit these members.
            tellingAbsences: ["is_family_share", "cancel_reason"],
            ends: ["expiration_at_ms"]
        ) { data throws(StoreError) in
            let event = try webhook.event(from: data)
            try Self.expectDocumented(event)
            return event.statements.map(\.fact)
        }
    }

    /// Returns a sample of RevenueCat's response about a customer.
    static func customer(_ name: String, _ json: Data) -> VariedSample {
        VariedSample(
            name: "customer \(name)",
            json: json,
            now: webhookArrival,
            tellingAbsences: ["refunded_at", "ownership_type"],
            ends: ["expires_date"]
        ) { data throws(StoreError) in
            guard let customer = RevenueCatCustomer(data, now: webhookArrival) else { throw StoreError(.unreadable) }
            return customer.facts
        }
    }

    /// Returns a sample of a Google Play push, or of the notification inside it.
    static func push(_ name: String, _ json: Data, isInner: Bool) -> VariedSample {
        VariedSample(name: "push \(name)", json: json, now: playNow) { data throws(StoreError) in
            var body = data
            if isInner {
                let encoded = data.base64EncodedString()
                body = Data(#"{"message":{"data":"\#(encoded)","messageId":"77"},"subscription":"s"}"#.utf8)
            }
            let event = try GooglePlayNotifications(packageName: playPackage).event(from: body)
            try Self.expectDocumented(event)
            return []
        }
    }

    /// Returns a sample of Google Play's response about a subscription.
    static func playSubscription(_ name: String, _ text: String, isOver: Bool) -> VariedSample {
        VariedSample(
            name: "Play subscription \(name)",
            json: Data(text.utf8),
            now: playNow,
            isOver: isOver,
            tellingAbsences: ["testPurchase", "offerPhase", "freeTrial", "offerTags"],
            ends: ["expiryTime"]
        ) { data throws(StoreError) in
            let answer = try StoreDocument(parsing: data)
            return try GooglePlaySubscription(answer: answer, token: "tok", renewedAt: nil, answeredAt: playNow).facts()
        }
    }

    /// Returns a sample of Google Play's response about one-time products.
    static func playProduct(_ name: String, _ json: Data, of productID: String?) -> VariedSample {
        VariedSample(
            name: "Play product \(name)",
            json: json,
            now: playNow,
            tellingAbsences: ["purchaseType", "testPurchaseContext", "refundableQuantity", "productOfferDetails"]
        ) { data throws(StoreError) in
            let answer = try StoreDocument(parsing: data)
            guard let productID else {
                return try GooglePlayProductV2(answer: answer, token: "tok", answeredAt: playNow).facts()
            }
            return [
                try GooglePlayProduct(answer: answer, token: "tok", answeredAt: playNow).fact(of: productID)
            ]
        }
    }

    /// Returns a sample of the verification endpoint's response about a receipt.
    static func receipt(_ name: String, _ text: String) -> VariedSample {
        VariedSample(
            name: "receipt \(name)",
            json: Data(text.utf8),
            now: signingTime,
            tellingAbsences: ["is_trial_period", "in_app_ownership_type"],
            ends: ["expires_date_ms", "expires_date"]
        ) { data throws(StoreError) in
            guard
                let answer = try? JSONDecoder().decode(VerifyReceiptAnswer.self, from: data),
                VerifyReceiptVerdict(of: answer, from: .production) == .ok,
                let reading = try? ReceiptReading(
                    of: answer,
                    environment: .production,
                    receiptSHA256: "00",
                    now: signingTime
                )
            else { throw StoreError(.unreadable) }
            return reading.facts
        }
    }

    /// Returns a sample of an App Store transaction, without its signature.
    static func transaction(_ name: String, _ json: Data) -> VariedSample {
        VariedSample(
            name: "transaction \(name)",
            json: json,
            now: signingTime,
            tellingAbsences: [
                "revocationDate", "revocationType", "revocationPercentage", "inAppOwnershipType", "offerType",
                "offerDiscountType", "quantity",
            ],
            ends: ["expiresDate"]
        ) { data throws(StoreError) in
            guard let payload = try PayloadReading<JWSTransactionDecodedPayload>(data).payload else {
                throw StoreError(.unreadable)
            }
            guard let side = payload.environment?.side else { throw StoreError(.wrongEnvironment) }
            return [try SignedTransaction(payload: payload, environment: side).fact(source: .signedTransaction)]
        }
    }

    /// Returns a sample of an App Store notification with one varied part; each part is signed again.
    static func notification(
        _ name: String,
        varying part: SignedParts.Part,
        of parts: SignedParts,
        accordingTo verifier: SignedDataVerifier
    ) throws -> VariedSample {
        VariedSample(
            name: "notification \(name), \(part)",
            json: try parts.json(of: part),
            now: signingTime,
            tellingAbsences: [
                "revocationDate", "revocationType", "revocationPercentage", "inAppOwnershipType", "offerType",
                "offerDiscountType", "quantity",
            ],
            ends: ["expiresDate"]
        ) { data throws(StoreError) in
            guard let signed = try? parts.signed(with: data, as: part) else { throw StoreError(.misconfigured) }
            let event = try await verifier.notification(signed)
            try Self.expectDocumented(event)
            return event.statements.map(\.fact)
        }
    }

    /// Encodes and decodes an event, and expects a documented result.
    private static func expectDocumented(_ event: StoreEvent) throws(StoreError) {
        guard
            let written = try? JSONEncoder().encode(event),
            let read = try? JSONDecoder().decode(StoreEvent.self, from: written),
            read.statements.count == event.statements.count
        else { throw StoreError(.misconfigured) }
    }
}

/// The parts of an App Store notification.
struct SignedParts: Sendable {
    enum Part: String, Sendable {
        case outer
        case transaction
        case renewal
    }

    let authority: SigningAuthority
    let outer: [String: any Sendable]
    let transaction: [String: any Sendable]
    let renewal: [String: any Sendable]

    func json(of part: Part) throws -> Data {
        let members =
            switch part {
            case .outer: self.outer
            case .transaction: self.transaction
            case .renewal: self.renewal
            }
        return try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
    }

    /// Returns the whole notification with one part replaced by the bytes.
    func signed(with bytes: Data, as part: Part) throws -> String {
        if part == .outer {
            let inner = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
            guard var outer = inner, var data = outer["data"] as? [String: Any] else {
                return try self.authority.sign(bytes: bytes)
            }
            data["signedTransactionInfo"] = try self.authority.sign(bytes: self.json(of: .transaction))
            data["signedRenewalInfo"] = try self.authority.sign(bytes: self.json(of: .renewal))
            outer["data"] = data
            return try self.authority.sign(
                bytes: JSONSerialization.data(withJSONObject: outer, options: .sortedKeys)
            )
        }
        let transaction = try part == .transaction ? bytes : self.json(of: .transaction)
        let renewal = try part == .renewal ? bytes : self.json(of: .renewal)
        var outer = self.outer
        var data = outer["data"] as? [String: any Sendable] ?? [:]
        data["signedTransactionInfo"] = try self.authority.sign(bytes: transaction)
        data["signedRenewalInfo"] = try self.authority.sign(bytes: renewal)
        outer["data"] = data
        return try self.authority.sign(outer)
    }
}
