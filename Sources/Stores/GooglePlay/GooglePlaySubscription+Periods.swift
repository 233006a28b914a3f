import Foundation

extension GooglePlaySubscription {
    /// Returns the start of an order's period.
    ///
    /// The first order starts with the subscription. The start of renewal n is estimated as if all n + 2 periods up to
    /// the expiry were equally long. The estimates keep the order of the renewals, and each falls into its own period,
    /// even after a short trial. A notification's date is more exact. It is used if it differs from the estimate by
    /// less than half a period, which excludes late notifications of older renewals.
    func beginning(of orderID: String?, item: StoreDocument) throws(StoreError) -> Date {
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
}
