import Foundation

/// Google Play's answer about a subscription.
struct GooglePlaySubscription {
    /// The state of a subscription; an unknown state is treated as unpaid.
    enum State: String {
        case pending = "SUBSCRIPTION_STATE_PENDING"
        case active = "SUBSCRIPTION_STATE_ACTIVE"
        case paused = "SUBSCRIPTION_STATE_PAUSED"
        case inGracePeriod = "SUBSCRIPTION_STATE_IN_GRACE_PERIOD"
        case onHold = "SUBSCRIPTION_STATE_ON_HOLD"
        case canceled = "SUBSCRIPTION_STATE_CANCELED"
        case expired = "SUBSCRIPTION_STATE_EXPIRED"
        case pendingPurchaseCanceled = "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED"
    }

    let answer: StoreDocument
    let token: String
    let renewedAt: Date?
    let answeredAt: Date

    /// Returns one fact per line item.
    func facts() throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        let state = try self.answer.text("subscriptionState").flatMap(State.init(rawValue:))
        for item in try self.ownedItems() {
            facts.append(try self.fact(of: item, state: state))
        }
        return facts.listingProducts { $0.pending ? nil : $0.orderID }
    }

    /// Returns the line items that the user owns.
    ///
    /// If some items have a paid order, an item without one is a future replacement product and is left out.
    func ownedItems() throws(StoreError) -> [StoreDocument] {
        let items = try self.items()
        var owned: [StoreDocument] = []
        for item in items where try item.text("latestSuccessfulOrderId") != nil {
            owned.append(item)
        }
        return owned.isEmpty ? items : owned
    }

    /// Returns the fact of an older order of the same subscription, without flags, since flags describe the newest
    /// period.
    ///
    /// The fact does not prove a payment, so it grants nothing; it only carries the voiding of that order.
    func fact(ofOlder orderID: String, item: StoreDocument, newest: StoreFact) throws(StoreError) -> StoreFact {
        var fact = StoreFact(
            store: newest.store,
            environment: newest.environment,
            transactionID: orderID,
            storeProductID: newest.storeProductID,
            kind: .subscription,
            purchasedAt: newest.purchasedAt,
            source: .serverAPI,
            sourceAt: newest.sourceAt
        )
        fact.purchaseProducts = newest.purchaseProducts
        if let start = try self.answer.instant("startTime") {
            let latest = newest.orderID.flatMap(GooglePlayOrder.renewal(in:))
            fact.purchasedAt = start
            if let number = GooglePlayOrder.renewal(in: orderID), let latest {
                fact.purchasedAt = try self.reckonedBeginning(of: number, latest: latest, start: start, item: item).date
            }
        }
        fact.orderID = orderID
        fact.originalTransactionID = GooglePlayOrder.base(of: orderID)
        fact.purchaseToken = self.token
        fact.appAccountToken = newest.appAccountToken
        fact.commitment = try self.commitment(of: orderID, item: item)
        fact.pending = true
        return fact
    }

    private func items() throws(StoreError) -> [StoreDocument] {
        let items = try self.answer.list("lineItems", atMost: StoreFact.mostProducts).orUnreadable()
        guard !items.isEmpty else { throw StoreError(.unreadable) }
        return items
    }

    private func fact(of item: StoreDocument, state: State?) throws(StoreError) -> StoreFact {
        let order = try self.order(of: item, state: state)
        var fact = StoreFact(
            store: .playStore,
            environment: self.answer["testPurchase"] == nil ? .production : .sandbox,
            transactionID: order.id ?? self.token,
            storeProductID: try self.productID(of: item),
            kind: .subscription,
            purchasedAt: try self.beginning(of: order.id, item: item),
            source: .serverAPI,
            sourceAt: self.answeredAt
        )
        fact.orderID = order.id
        fact.originalTransactionID = order.id.map(GooglePlayOrder.base(of:))
        fact.purchaseToken = self.token
        fact.linkedPurchaseToken = try self.replacedToken()
        fact.appAccountToken = try self.accountToken()
        fact.periodType = try self.periodType(of: item, orderID: order.id)
        fact.commitment = try self.commitment(of: order.id, item: item)
        fact.pending = !order.isPaid
        fact.occasion = .renewal
        try self.addFlags(to: &fact, item: item, state: state)
        return fact
    }

    /// Returns the order of the newest paid period.
    ///
    /// `latestOrderId` may be the order of a failed payment. Without `latestSuccessfulOrderId` it is used only for a
    /// running subscription with a single item.
    private func order(of item: StoreDocument, state: State?) throws(StoreError) -> (id: String?, isPaid: Bool) {
        let isUnpaid = state == nil || state == .pending || state == .pendingPurchaseCanceled
        if let id = try item.text("latestSuccessfulOrderId") { return (id, !isUnpaid) }
        let id = try self.answer.text("latestOrderId")
        let isRunning = state == .active || state == .canceled
        let isAlone = try self.items().count == 1
        return (id, id != nil && isRunning && isAlone)
    }

    private func productID(of item: StoreDocument) throws(StoreError) -> String {
        let productID = try item.text("productId").orUnreadable()
        guard let plan = try item["offerDetails"]?.text("basePlanId") else { return productID }
        return "\(productID):\(plan)"
    }

    /// Returns the start of an order's period.
    ///
    /// The first order starts with the subscription. The start of renewal n is estimated as if all n + 2 periods up to
    /// the expiry were equally long. The estimates keep the order of the renewals, and each falls into its own period,
    /// even after a short trial. A notification's date is more exact. It is used if it differs from the estimate by
    /// less than half a period, which excludes late notifications of older renewals.
    private func beginning(of orderID: String?, item: StoreDocument) throws(StoreError) -> Date {
        guard let start = try self.answer.instant("startTime")?.boughtBefore(self.answeredAt) else {
            return self.renewedAt ?? self.answeredAt
        }
        guard let orderID, let number = GooglePlayOrder.renewal(in: orderID) else { return start }
        let reckoned = try self.reckonedBeginning(of: number, latest: number, start: start, item: item)
        guard let renewedAt, abs(renewedAt.timeIntervalSince(reckoned.date)) < reckoned.period / 2 else {
            return reckoned.date
        }
        return renewedAt
    }

    private func reckonedBeginning(
        of number: Int,
        latest: Int,
        start: Date,
        item: StoreDocument
    ) throws(StoreError) -> (date: Date, period: TimeInterval) {
        let expiry = try item.instant("expiryTime") ?? start
        let period = expiry.timeIntervalSince(start) / Double(latest + 2)
        // Without a usable expiry, the renewals at least get different times.
        guard period >= 1 else { return (start.addingTimeInterval(Double(number + 1)), 0) }
        return (start.addingTimeInterval(period * Double(number + 1)), period)
    }

    /// Returns the token of the purchase that this one continues: the replaced purchase, or the expired one if the user
    /// subscribed again in the store.
    ///
    /// In the latter case no app names the owner of the new purchase.
    private func replacedToken() throws(StoreError) -> String? {
        if let token = try self.answer.text("linkedPurchaseToken", atMost: StorePath.maximumBytes) { return token }
        return try self.outOfAppContext()?.text("expiredPurchaseToken", atMost: StorePath.maximumBytes)
    }

    /// Returns the account that the app set for this purchase, else that of the expired purchase.
    private func accountToken() throws(StoreError) -> UUID? {
        let context = try self.outOfAppContext()
        let identifiers = [
            try self.answer.object("externalAccountIdentifiers"),
            try context?.object("expiredExternalAccountIdentifiers"),
            try context?.object("expiredExternalAccountIdentifier"),
        ]
        for identifier in identifiers.compactMap({ $0 }) {
            if let token = StoreFact.accountToken(try identifier.text("obfuscatedExternalAccountId")) {
                return token
            }
        }
        return nil
    }

    private func outOfAppContext() throws(StoreError) -> StoreDocument? {
        try self.answer.object("outOfAppPurchaseContext")
    }

    private func periodType(of item: StoreDocument, orderID: String?) throws(StoreError) -> StoreFact.PeriodType {
        if item["prepaidPlan"] != nil { return .prepaid }
        if let phase = try item.object("offerPhase") {
            if phase["freeTrial"] != nil { return .trial }
            return phase["introductoryPrice"] != nil ? .intro : .normal
        }
        // Older answers omit the phase; then a tag of the operator marks the offer, and only the first order is its
        // trial.
        let tags = try item["offerDetails"]?.texts("offerTags", atMost: 255) ?? []
        let isTrial = tags.contains { $0.lowercased().filter(\.isLetter) == "freetrial" }
        return isTrial && GooglePlayOrder.renewal(in: orderID ?? "") == nil ? .trial : .normal
    }

    /// Returns the payment of an installment plan to which an order belongs; nil for a plan that is paid period by
    /// period.
    ///
    /// The following commitments may have another number of payments. If the answer omits it, the plan continues
    /// monthly, and each month is still one payment of the original number.
    private func commitment(of orderID: String?, item: StoreDocument) throws(StoreError) -> StoreFact.Commitment? {
        guard let details = try item.object("autoRenewingPlan")?.object("installmentDetails"), let orderID else {
            return nil
        }
        let first = Int(clamping: try details.integer("initialCommittedPaymentsCount") ?? 0)
        guard first > 0 else { throw StoreError(.unreadable) }
        let later = Int(clamping: try details.integer("subsequentCommittedPaymentsCount") ?? 0)
        let payment = GooglePlayOrder.renewal(in: orderID).map { $0 + 2 } ?? 1
        let periods = payment > first && later > 0 ? later : first
        let period = payment > first ? (payment - first - 1) % periods + 1 : payment
        // Without its position, one payment would be granted as the whole commitment.
        guard let commitment = StoreFact.Commitment(period: period, of: periods) else { throw StoreError(.unreadable) }
        return commitment
    }

    /// Applies the state to the fact; `expiryTime` is the end of the paid period, of the grace period or of the
    /// subscription.
    ///
    /// During the grace period the answer omits the end of the paid period, so it stays unknown.
    private func addFlags(to fact: inout StoreFact, item: StoreDocument, state: State?) throws(StoreError) {
        let expiry = try item.instant("expiryTime")
        switch state {
        case .active:
            fact.expiresAt = expiry
            fact.willRenew = try item.object("autoRenewingPlan")?.flag("autoRenewEnabled") ?? false
            fact.commitmentRenews = try self.commitmentRenews(item)
            fact.billingIssue = false
            fact.paused = false
        case .inGracePeriod:
            fact.graceEndsAt = expiry
            fact.billingIssue = true
        case .onHold:
            fact.expiresAt = self.past(expiry)
            fact.billingIssue = true
        case .paused:
            fact.expiresAt = self.past(expiry)
            fact.paused = true
        case .canceled:
            fact.expiresAt = expiry
            fact.willRenew = false
        case .expired:
            fact.expiresAt = self.past(expiry)
            fact.expiredAt = fact.expiresAt
        case .pending, .pendingPurchaseCanceled, nil: break
        }
        guard !fact.pending else { return }
        fact.needsAcknowledgement = GooglePlayAcknowledgement.isAwaited(try self.answer.text("acknowledgementState"))
    }

    /// A cancelled installment plan is still billed to the end of the commitment.
    private func commitmentRenews(_ item: StoreDocument) throws(StoreError) -> Bool? {
        guard let details = try item.object("autoRenewingPlan")?.object("installmentDetails") else { return nil }
        return details["pendingCancellation"] == nil
    }

    /// Returns the end of a period that the state reports as over: no later than the time of the answer.
    private func past(_ end: Date?) -> Date? { end.map { min($0, self.answeredAt) } }
}

/// Google Play's order ids: the first order of a subscription, and its renewals `..0`, `..1` and so on.
enum GooglePlayOrder {
    /// Returns the first order of the subscription, which is the common prefix of its renewals.
    static func base(of orderID: String) -> String {
        guard let dots = self.dots(in: orderID) else { return orderID }
        return String(orderID[..<dots.lowerBound])
    }

    /// Returns the number of the renewal, starting at 0; nil for the first order of a subscription.
    static func renewal(in orderID: String) -> Int? {
        self.dots(in: orderID).flatMap { Int(orderID[$0.upperBound...]) }
    }

    // The renewal number has at most 6 digits: more would mean more renewals than there are hours in a century.
    private static func dots(in orderID: String) -> Range<String.Index>? {
        guard let dots = orderID.ranges(of: "..").last, dots.lowerBound != orderID.startIndex else { return nil }
        let number = orderID[dots.upperBound...].utf8
        return (1...6).contains(number.count) && number.allSatisfy { (48...57).contains($0) } ? dots : nil
    }
}
