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

    func items() throws(StoreError) -> [StoreDocument] {
        let items = try self.answer.list("lineItems").orUnreadable()
        guard !items.isEmpty else { throw StoreError(.unreadable) }
        return items
    }

    func fact(of item: StoreDocument, state: State?) throws(StoreError) -> StoreFact {
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
}
