import Foundation

/// One transaction of the stores.
///
/// Members that were added after the first state file are optional, so that the file can still be loaded.
struct SandboxTransaction: Codable, Sendable {
    /// The App Store's transaction id; on Google Play the order id.
    var id: String
    /// The first transaction of the subscription; on Google Play the order id without its `..N`.
    var originalID: String
    var userID: String
    var productID: String
    var kind: SandboxProduct.Kind
    var quantity: Int
    var environment: Environment
    var bundleID: String
    var purchasedAt: Date
    var originalPurchasedAt: Date
    var expiresAt: Date?
    /// The id of the period; ids increase in the order in which periods are created, in both stores.
    var lineItemID: String?
    var isTrial: Bool
    var isFamilyShared: Bool
    var appAccountToken: String?
    /// The time at which it was refunded, partly or fully, or revoked.
    var cancelledAt: Date?
    var isFinished: Bool

    /// The store of sale, nil for the App Store; see ``store``.
    var storeOfSale: SandboxStore?
    /// The refunded share of the price in millionths; nil while ``cancelledAt`` is set means a full refund.
    var refundedMillionths: Int?
    var refundReversedAt: Date?
    /// The time at which family sharing ended or the developer revoked it.
    var revokedAt: Date?
    /// The time at which an upgrade replaced this period.
    var upgradedAt: Date?
    /// The time since which the payment is pending; nil for a paid purchase; Google Play only.
    var pendingSince: Date?
    /// The time at which a pending purchase was abandoned.
    var abandonedAt: Date?
    /// The price in thousandths of the currency's unit.
    var priceMilliunits: Int?
    var currency: String?
    var appTransactionID: String?
    /// Google Play's purchase token: one for all periods of a subscription, one for each other purchase.
    var purchaseToken: String?
    /// The purchase token that an upgrade replaced.
    var linkedPurchaseToken: String?
    /// The expired purchase's token and account, for a subscription that was bought again in the store.
    var expiredPurchaseToken: String?
    var expiredAccountToken: String?
    var acknowledgedAt: Date?
    var consumedAt: Date?
    /// Google Play's token of its refund review.
    var refundReviewToken: String?
    /// The number of preceding renewals, 0 for a first purchase; resubscriptions continue the count.
    var renewalNumber: Int?
    /// The number of the period in a commitment that is billed monthly, from 1, and the commitment's number of periods.
    var billingPeriod: Int?
    var billingPeriods: Int?
    /// A Boolean value that indicates whether the store renewed it automatically, not the buyer by a purchase.
    var renewedByStore: Bool?
    /// Further products of the same purchase: add-ons of a subscription or other products; Google Play only.
    var furtherProductIDs: [String]?

    /// The environment of the store.
    enum Environment: String, Codable, Sendable {
        case production
        case sandbox
    }
}

/// The store of a sale.
enum SandboxStore: String, Codable, Sendable {
    case appStore = "app_store"
    case googlePlay = "play_store"
}

extension SandboxTransaction {
    var store: SandboxStore { self.storeOfSale ?? .appStore }

    /// Google Play's order id.
    var orderID: String? { self.store == .googlePlay ? self.id : nil }

    /// A Boolean value that indicates whether this is the last period of its commitment; true without a commitment.
    var endsCommitment: Bool { self.billingPeriod == self.billingPeriods }

    /// A copy of the purchase for each of its products, starting with this one.
    var products: [SandboxTransaction] {
        [self]
            + (self.furtherProductIDs ?? []).map { id in
                var product = self
                product.productID = id
                product.quantity = 1
                return product
            }
    }

    /// The product id without its base plan, and the base plan if the id contains one.
    var playProduct: (id: String, basePlan: String?) {
        guard let colon = self.productID.firstIndex(of: ":") else { return (self.productID, nil) }
        return (String(self.productID[..<colon]), String(self.productID[self.productID.index(after: colon)...]))
    }

    var isPending: Bool { self.pendingSince != nil && self.abandonedAt == nil }

    /// The refunded share of the price in millionths, 0 to 1,000,000.
    var refundedShare: Int {
        guard self.cancelledAt != nil, self.revokedAt == nil else { return 0 }
        return self.refundedMillionths ?? 1_000_000
    }

    /// A Boolean value that indicates whether the purchase was refunded in full or revoked.
    var isUndone: Bool { self.revokedAt != nil || self.refundedShare == 1_000_000 }

    /// A Boolean value that indicates whether receipts contain it.
    ///
    /// A refunded or finished consumable is removed; a refunded period stays and is marked.
    var isShown: Bool {
        switch self.kind {
        case .subscription: true
        case .nonRenewing: !self.isUndone
        case .consumable: !self.isUndone && !self.isFinished
        }
    }
}
