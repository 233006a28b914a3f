import Foundation
import Hummingbird
import JSON
import Synchronization

extension SandboxStores {
    /// Adds the endpoints of RevenueCat's API.
    func addSubscriberRoutes(of face: RevenueCatServer, to router: Router<SandboxContext>) {
        let subscribers = router.group("v1/subscribers")
            .add(middleware: FaultMiddleware(faults: self.faults, target: .revenueCat))
        subscribers.get(":user") { request, context in
            guard SharedSecret.isSame(request.headers[.authorization] ?? "", as: "Bearer \(face.settings.apiKey)")
            else {
                let refusal: JSONValue = ["code": 7_225, "message": "Invalid API Key."]
                return Response.json(refusal, status: .unauthorized)
            }
            let userID = try context.segment("user")
            let subscriber = RevenueCatSubscriber(
                userID: userID,
                state: await self.ledger.state,
                entitlementID: face.settings.entitlementID,
                now: await self.ledger.now
            )
            let isKnown = subscriber.isKnown || face.customers.knows(userID)
            return Response.json(subscriber.body, status: isKnown ? .ok : .created)
        }
    }
}

/// The customers without purchases that were requested: the API creates a customer for every requested id.
final class KnownCustomers: Sendable {
    private let userIDs = Mutex<Set<String>>([])

    /// Returns `true` if the customer was requested before, and records the request.
    func knows(_ userID: String) -> Bool {
        self.userIDs.withLock { !$0.insert(userID).inserted }
    }
}

/// A customer in the format of RevenueCat's API.
struct RevenueCatSubscriber {
    let userID: String
    let state: SandboxState
    let entitlementID: String
    let now: Date

    /// The body of the answer; for a user without purchases, an empty customer first seen now.
    var body: JSONValue {
        let transactions = self.transactions
        let newest = self.newestPeriods(of: transactions)
        return [
            "request_date": .seconds(self.now),
            "request_date_ms": .milliseconds(self.now),
            "subscriber": [
                "entitlements": .object(self.entitlements(of: newest)),
                "first_seen": .seconds(transactions.first?.originalPurchasedAt ?? self.now),
                "last_seen": .seconds(self.now),
                "management_url": .null,
                "non_subscriptions": .object(self.purchases(of: transactions)),
                "original_app_user_id": .text(self.userID),
                "original_application_version": .null,
                "original_purchase_date": .seconds(transactions.first?.originalPurchasedAt),
                "other_purchases": [:],
                "subscriptions": .object(newest.mapValues(self.subscription)),
                "subscriber_attributes": [:],
            ],
        ]
    }

    /// A Boolean value that indicates whether the customer has a purchase.
    var isKnown: Bool { !self.transactions.isEmpty }

    private var transactions: [SandboxTransaction] {
        self.state.transactions.values
            .filter { self.state.customer(of: $0) == self.userID && $0.pendingSince == nil }
            .sorted { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) }
            .flatMap(\.products)
    }

    /// Returns the newest period of each product; the product id does not contain Google Play's base plan.
    private func newestPeriods(of transactions: [SandboxTransaction]) -> [String: SandboxTransaction] {
        Dictionary(transactions.filter { $0.kind == .subscription }.map { ($0.revenueCatProduct.id, $0) }) { $1 }
    }

    private func subscription(of period: SandboxTransaction) -> JSONValue {
        let chain = self.state.chains[period.originalID]
        let isRenewing = chain?.isRenewing ?? true
        return [
            "auto_resume_date": .seconds(chain?.resumesAt),
            "billing_issues_detected_at": .seconds(chain?.billingIssueSince),
            "expires_date": .seconds(period.revenueCatEnd),
            "grace_period_expires_date": .seconds(chain?.graceEndsAt),
            "is_sandbox": .bool(period.environment == .sandbox),
            "original_purchase_date": .seconds(period.originalPurchasedAt),
            "ownership_type": period.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED",
            "period_type": .text(period.revenueCatPeriodType),
            "product_plan_identifier": .optional(period.revenueCatProduct.plan),
            "price": ["amount": .decimal(period.revenueCatPrice), "currency": .text(period.currency ?? "USD")],
            "purchase_date": .seconds(period.purchasedAt),
            "refunded_at": .seconds(period.refundedShare == 1_000_000 ? period.cancelledAt : nil),
            "store": .text(period.store.rawValue),
            "store_transaction_id": .text(period.id),
            "unsubscribe_detected_at": .seconds(
                isRenewing ? nil : chain?.renewalTurnedOffAt ?? chain?.expiredAt ?? period.purchasedAt
            ),
        ]
    }

    private func purchases(of transactions: [SandboxTransaction]) -> [String: JSONValue] {
        Dictionary(grouping: transactions.filter { $0.kind != .subscription }, by: \.productID).mapValues { purchases in
            .array(
                purchases.map { purchase in
                    [
                        "id": .text(RevenueCatEvent.id(of: purchase.id, at: purchase.purchasedAt)),
                        "is_sandbox": .bool(purchase.environment == .sandbox),
                        "price": [
                            "amount": .decimal(purchase.revenueCatPrice), "currency": .text(purchase.currency ?? "USD"),
                        ],
                        "purchase_date": .seconds(purchase.purchasedAt),
                        "store": .text(purchase.store.rawValue),
                        "store_transaction_id": .text(purchase.id),
                    ]
                }
            )
        }
    }

    /// Returns the entitlement of the subscription that lasts longest.
    private func entitlements(of newest: [String: SandboxTransaction]) -> [String: JSONValue] {
        let longest = newest.values.max { ($0.revenueCatEnd ?? .distantPast) < ($1.revenueCatEnd ?? .distantPast) }
        guard let longest else { return [:] }
        return [
            self.entitlementID: [
                "expires_date": .seconds(longest.revenueCatEnd),
                "grace_period_expires_date": .seconds(self.state.chains[longest.originalID]?.graceEndsAt),
                "product_identifier": .text(longest.revenueCatProduct.id),
                "product_plan_identifier": .optional(longest.revenueCatProduct.plan),
                "purchase_date": .seconds(longest.purchasedAt),
            ]
        ]
    }
}

extension SandboxTransaction {
    /// The end of the period in RevenueCat's data: the time of a refund or revocation if it precedes the paid end.
    var revenueCatEnd: Date? {
        guard let expiresAt = self.expiresAt else { return nil }
        guard self.isUndone, let undoneAt = self.revokedAt ?? self.cancelledAt else { return expiresAt }
        return min(expiresAt, undoneAt)
    }

    /// The original transaction id; on Google Play, the order id without the renewal number.
    var revenueCatOriginalID: String {
        guard self.store == .googlePlay, let dots = self.originalID.range(of: "..") else { return self.originalID }
        return String(self.originalID[..<dots.lowerBound])
    }

    /// The product in the API's format, with Google Play's base plan as a separate value.
    var revenueCatProduct: (id: String, plan: String?) {
        self.store == .googlePlay ? (self.playProduct.id, self.playProduct.basePlan) : (self.productID, nil)
    }

    /// The period type in lower case.
    var revenueCatPeriodType: String { self.isTrial ? "trial" : "normal" }

    /// The price in units of the currency; 0 for a trial, and 9.99 if no price was set.
    var revenueCatPrice: Double { self.isTrial ? 0 : Double(self.priceMilliunits ?? 9_990) / 1_000 }
}
