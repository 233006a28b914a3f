import Foundation
import Stores

/// A complete purchase.
///
/// Sources report it in parts, under changing ids and in any order.
struct WalkPurchase {
    let store: StoreName
    let environment: StoreEnvironment
    let buyer: Int
    var product: String
    let kind: StoreFact.Kind
    var quantity: Int
    let purchasedAt: Date
    var expiresAt: Date?
    var periodType: StoreFact.PeriodType?
    /// The month within a yearly commitment.
    var commitment: StoreFact.Commitment?
    /// The transaction ids of the purchase; every restore adds one.
    let transactionIDs: [String]
    let original: String?
    let orderID: String?
    let purchaseToken: String?
    let token: UUID?
    let isShared: Bool
    /// All products of a purchase with several products; each is a `WalkPurchase` with the same ids.
    var listed: [String]?

    /// The product that a renewal keeps if it drops the others.
    var base: String { self.listed?.first ?? self.product }

    /// Returns a report of the purchase as one of the sources might send it.
    func fact(by random: inout SplitMix64, at now: Date, everything: Bool) -> StoreFact {
        let name = everything ? 0 : Int.random(in: 0..<self.transactionIDs.count, using: &random)
        let sourceAt = now.addingTimeInterval(Double(Int.random(in: -2...0, using: &random)) * 3_600)
        var fact = StoreFact(
            store: self.store,
            environment: self.environment,
            transactionID: self.transactionIDs[name],
            storeProductID: self.product,
            kind: self.kind,
            quantity: random.chance(70) ? self.quantity : 1,
            ownership: self.isShared ? .familyShared : .purchased,
            purchasedAt: self.purchasedAt,
            source: random.pick(.receipt, .notification, .serverAPI),
            sourceAt: sourceAt
        )
        fact.expiresAt = self.expiresAt
        fact.periodType = self.periodType
        // An intermediary such as RevenueCat does not report commitments.
        if random.chance(70) { fact.commitment = self.commitment }
        if self.commitment != nil { fact.commitmentRenews = random.pick(nil, true, false) }
        fact.appAccountToken = everything || random.chance(50) ? self.token : nil
        let isSubscription = self.kind == .subscription
        if isSubscription || random.chance(60) { fact.originalTransactionID = self.original }
        fact.purchaseProducts = self.listed
        // Sources that list products also report the order id.
        if self.listed != nil || random.chance(40) { fact.orderID = self.orderID }
        if random.chance(40) { fact.purchaseToken = self.purchaseToken }
        // Only the App Store gives each period a key of its own.
        if self.original != nil, isSubscription, self.store == .appStore, random.chance(50) {
            fact.originalTransactionID = self.original
            fact.lineItemID = self.transactionIDs[0] + ".line"
        }
        return fact
    }
}
