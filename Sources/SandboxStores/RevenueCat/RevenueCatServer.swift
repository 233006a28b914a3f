import Crypto
import Foundation
import JSON
import NIOHTTP1

/// The RevenueCat part: posts events as RevenueCat's webhooks.
struct RevenueCatServer: Sendable {
    let settings: SandboxStoresConfiguration.RevenueCat
    let customers = KnownCustomers()

    init(settings: SandboxStoresConfiguration.RevenueCat) {
        self.settings = settings
    }

    /// Returns the writer of the webhooks; each attempt's proofs contain the stores' current time.
    func writer(of ledger: SandboxLedger) -> NotificationWriter {
        let proof = self.proof
        return NotificationWriter(source: .revenueCat) { body in
            HTTPHeaders(proof.headers(for: body, at: await ledger.now).map { ($0.name, $0.value) })
        } write: { happening in
            self.drafts(of: happening)
        }
    }

    var proof: RevenueCatProof {
        RevenueCatProof(authorization: self.settings.authorization, signingSecret: self.settings.signingSecret)
    }

    /// Returns the webhooks for an event, in the order in which RevenueCat sends them.
    private func drafts(of happening: SandboxEvent) -> [NotificationDraft] {
        if case .transferred(let from, let to) = happening.kind {
            let transaction = happening.transaction
            let transfer = RevenueCatTransfer(transaction: transaction, from: from, to: to, reportedAt: happening.at)
            return [NotificationDraft(id: transfer.id, type: "TRANSFER", body: transfer.body.jsonData)]
        }
        return happening.revenueCatUpdate.map { news in
            let event = RevenueCatEvent(
                word: news.word,
                transaction: news.transaction,
                customer: happening.state.customer(of: news.transaction),
                reportedAt: happening.at,
                entitlementID: self.settings.entitlementID
            )
            return NotificationDraft(id: event.id, type: event.word.type, body: event.body.jsonData)
        }
    }
}

/// The credentials that authenticate RevenueCat's webhooks.
struct RevenueCatProof: Sendable {
    static let header = "X-RevenueCat-Webhook-Signature"

    let authorization: String?
    let signingSecret: String?

    /// Returns the headers of one delivery; each attempt gets a new time and signature.
    func headers(for body: Data, at now: Date) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let authorization { headers.append(("Authorization", authorization)) }
        if let signingSecret {
            let seconds = Int64(now.timeIntervalSince1970)
            var signed = Data("\(seconds).".utf8)
            signed.append(body)
            let code = HMAC<SHA256>.authenticationCode(
                for: signed,
                using: SymmetricKey(data: Data(signingSecret.utf8))
            )
            let hex = code.map { String(format: "%02x", $0) }.joined()
            headers.append((Self.header, "t=\(seconds),v1=\(hex)"))
        }
        return headers
    }
}

/// A webhook event about one transaction.
struct RevenueCatEvent {
    let word: RevenueCatEventType
    let transaction: SandboxTransaction
    let customer: String
    let reportedAt: Date
    let entitlementID: String

    /// The id of the event, which is the same when the same event is reported again.
    var id: String {
        Self.id(of: "\(self.word.type):\(self.transaction.id)", at: self.reportedAt)
    }

    /// The body to post.
    var body: JSONValue {
        var event = self.person
        event.merge(self.purchase) { $1 }
        event.merge(self.money) { $1 }
        if self.transaction.kind == .subscription, self.transaction.furtherProductIDs != nil {
            event["items"] = self.items
        }
        event.merge(self.word.members) { $1 }
        event["type"] = .text(self.word.type)
        event["id"] = .text(self.id)
        event["event_timestamp_ms"] = .milliseconds(self.reportedAt)
        return ["api_version": "1.0", "event": .object(event)]
    }

    /// Returns an id in the form of a UUID, derived from the event and its time.
    static func id(of happening: String, at instant: Date) -> String {
        let digest = SHA256.hash(data: Data("revenuecat:\(happening):\(instant.wholeMilliseconds)".utf8))
        let hex = Array(digest.prefix(16).map { String(format: "%02X", $0) }.joined())
        return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
            .map { String($0) }
            .joined(separator: "-")
    }

    private var person: [String: JSONValue] {
        [
            "app_id": "app0000000001",
            "app_user_id": .text(self.customer),
            "original_app_user_id": .text(self.customer),
            "aliases": [.text(self.customer)],
            "subscriber_attributes": [:],
            "experiments": [],
            "country_code": "US",
        ]
    }

    private var purchase: [String: JSONValue] {
        let isSubscription = self.transaction.kind == .subscription
        return [
            "store": .text(self.transaction.store.rawValue.uppercased()),
            "environment": .text(self.transaction.environment.rawValue.uppercased()),
            "product_id": .text(self.transaction.productID),
            "period_type": .text(self.transaction.revenueCatPeriodType.uppercased()),
            "purchased_at_ms": .milliseconds(self.transaction.purchasedAt),
            "expiration_at_ms": .milliseconds(self.transaction.revenueCatEnd),
            "transaction_id": .text(self.transaction.id),
            "original_transaction_id": .text(self.transaction.revenueCatOriginalID),
            "is_family_share": .bool(self.transaction.isFamilyShared),
            "renewal_number": isSubscription ? .integer((self.transaction.renewalNumber ?? 0) + 1) : .null,
            "entitlement_id": .null,
            "entitlement_ids": isSubscription ? [.text(self.entitlementID)] : .null,
            "presented_offering_id": .null,
            "offer_code": .null,
            "metadata": .null,
        ]
    }

    /// The products of a subscription with add-ons.
    private var items: JSONValue {
        .array(
            self.transaction.products.enumerated().map { place, product in
                [
                    "product_id": .text(product.productID), "type": place == 0 ? "base" : "addon",
                    "expiration_at_ms": .milliseconds(product.revenueCatEnd),
                ]
            }
        )
    }

    private var money: [String: JSONValue] {
        let amount = self.transaction.revenueCatPrice * self.word.priceFactor
        return [
            "price": .decimal(amount),
            "price_in_purchased_currency": .decimal(amount),
            "currency": .text(self.transaction.currency ?? "USD"),
            "tax_percentage": .decimal(0),
            "commission_percentage": .decimal(0.3),
            "takehome_percentage": .decimal(0.7),
        ]
    }
}

/// The event of a subscription's transfer to another customer; it contains neither product nor transaction.
struct RevenueCatTransfer {
    let transaction: SandboxTransaction
    let from: String
    let to: String
    let reportedAt: Date

    /// The id of the event, the same for every delivery.
    var id: String { RevenueCatEvent.id(of: "TRANSFER:\(self.transaction.id):\(self.to)", at: self.reportedAt) }

    /// The body to post.
    var body: JSONValue {
        [
            "api_version": "1.0",
            "event": [
                "type": "TRANSFER",
                "id": .text(self.id),
                "app_id": "app0000000001",
                "event_timestamp_ms": .milliseconds(self.reportedAt),
                "store": .text(self.transaction.store.rawValue.uppercased()),
                "environment": .text(self.transaction.environment.rawValue.uppercased()),
                "transferred_from": [.text(self.from)],
                "transferred_to": [.text(self.to)],
                "subscriber_attributes": [:],
            ],
        ]
    }
}
