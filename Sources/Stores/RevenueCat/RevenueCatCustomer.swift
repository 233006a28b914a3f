import Foundation

/// RevenueCat's answer about a customer.
struct RevenueCatCustomer {
    /// The facts of the readable purchases.
    private(set) var facts: [StoreFact] = []
    /// The number of unreadable purchases.
    private(set) var unreadable = 0

    private let reportedAt: Date

    /// Reads an answer.
    /// - Parameters:
    ///   - body: The answer's body.
    ///   - now: The time of receipt, for answers without a date.
    init?(_ body: Data, now: Date) {
        guard
            let answer = try? StoreDocument(parsing: body),
            let customer = answer["subscriber"],
            case .object = customer
        else { return nil }
        self.reportedAt = (try? answer.milliseconds("request_date_ms")) ?? (try? answer.instant("request_date")) ?? now
        for (product, record) in customer["subscriptions"]?.sortedMembers ?? [] {
            self.add(try? self.subscription(product, record))
        }
        for (product, list) in customer["non_subscriptions"]?.sortedMembers ?? [] {
            guard case .list(let records) = list else {
                self.unreadable += 1
                continue
            }
            for record in records where record["store_transaction_id"] != nil {
                self.add(try? self.purchase(product, record))
            }
        }
        // A subscription and its add-ons have the same transaction id and purchase time.
        self.facts = self.facts.listingProducts { fact in
            [
                fact.store.rawValue, fact.environment.rawValue, fact.kind.rawValue, fact.transactionID,
                fact.purchasedAt.storeInstant,
            ]
        }
    }

    private mutating func add(_ fact: StoreFact?) {
        guard let fact else {
            self.unreadable += 1
            return
        }
        self.facts.append(fact)
    }

    private func subscription(_ product: String, _ record: StoreDocument) throws(StoreError) -> StoreFact {
        var fact = try self.fact(product, record, kind: .subscription)
        let plan = try record.text("product_plan_identifier")
        if let plan, fact.store == .playStore, !product.contains(":") { fact.storeProductID = "\(product):\(plan)" }
        fact.periodType = StoreFact.PeriodType(revenueCat: try record.text("period_type").orUnreadable())
        fact.expiresAt = try record.instant("expires_date")
        fact.ownership = try self.ownership(record)
        // A prepaid plan does not renew automatically.
        fact.willRenew = try record.instant("unsubscribe_detected_at") == nil && fact.periodType != .prepaid
        fact.billingIssue = try record.instant("billing_issues_detected_at") != nil
        fact.graceEndsAt = try record.instant("grace_period_expires_date")
        fact.occasion = .renewal
        // A pause takes effect at the period's end; before that it is only scheduled.
        if try record.instant("auto_resume_date") != nil, let end = fact.expiresAt, end <= self.reportedAt {
            fact.paused = true
        }
        return fact
    }

    private func ownership(_ record: StoreDocument) throws(StoreError) -> StoreFact.Ownership {
        switch try record.text("ownership_type") {
        case nil, "PURCHASED", "UNKNOWN": return .purchased
        case "FAMILY_SHARED": return .familyShared
        default: throw StoreError(.unreadable)
        }
    }

    private func purchase(_ product: String, _ record: StoreDocument) throws(StoreError) -> StoreFact {
        try self.fact(product, record, kind: .oneTime)
    }

    /// Returns a fact with the members that both kinds of purchase have.
    ///
    /// The answer omits the chain of a transaction, except for Google Play, whose order ids contain it.
    private func fact(
        _ product: String,
        _ record: StoreDocument,
        kind: StoreFact.Kind
    ) throws(StoreError) -> StoreFact {
        var fact = StoreFact(
            store: StoreName(revenueCat: try record.text("store").orUnreadable()),
            environment: try record.flag("is_sandbox").orUnreadable() ? .sandbox : .production,
            transactionID: try record.identifier("store_transaction_id").orUnreadable(),
            storeProductID: product,
            kind: kind,
            purchasedAt: try record.instant("purchase_date").orUnreadable().boughtBefore(self.reportedAt),
            source: .serverAPI,
            sourceAt: self.reportedAt
        )
        if let refundedAt = try record.instant("refunded_at") {
            fact.refundedMillionths = 1_000_000
            fact.refundedAt = refundedAt
        }
        fact.nameOrder()
        return fact
    }
}

extension StoreDocument {
    /// The members of an object sorted by name; empty for other values.
    fileprivate var sortedMembers: [(String, StoreDocument)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
