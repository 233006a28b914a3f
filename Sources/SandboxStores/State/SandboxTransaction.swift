import Foundation

/// One transaction that the stores made.
///
/// Members that came later than the first state file are optional, so that the file still loads.
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
    /// Given out in the order in which periods are made, in both stores.
    var lineItemID: String?
    var isTrial: Bool
    var isFamilyShared: Bool
    var appAccountToken: String?
    /// When it was refunded, in part or in full, or revoked.
    var cancelledAt: Date?
    var isFinished: Bool

    /// The store of sale, nil for the App Store; ``store`` names it.
    var storeOfSale: SandboxStore?
    /// The refunded share of what was paid; nil with ``cancelledAt`` set means all of it.
    var refundedMillionths: Int?
    var refundReversedAt: Date?
    /// When a family member lost it, or the developer took it back.
    var revokedAt: Date?
    /// When an upgrade took this period's place.
    var upgradedAt: Date?
    /// While it is not paid; Google Play only.
    var pendingSince: Date?
    /// When a pending purchase was given up.
    var abandonedAt: Date?
    /// The price in thousandths of the currency's unit.
    var priceMilliunits: Int?
    var currency: String?
    var appTransactionID: String?
    /// Google Play's: one for all periods of a subscription, one for each other purchase.
    var purchaseToken: String?
    /// The purchase token that an upgrade replaced.
    var linkedPurchaseToken: String?
    /// Of a subscription that was bought again in the store, outside the app: the expired purchase's token and account.
    var expiredPurchaseToken: String?
    var expiredAccountToken: String?
    var acknowledgedAt: Date?
    var consumedAt: Date?
    /// Google Play's name of the review of its refund.
    var refundReviewToken: String?
    /// How many renewals came before, 0 in a first purchase; counts on over resubscriptions.
    var renewalNumber: Int?
    /// Which period of a commitment that is billed monthly this is, from 1, and how many it has.
    var billingPeriod: Int?
    var billingPeriods: Int?
    /// Whether the store renewed it by itself, not the buyer by a purchase.
    var renewedByStore: Bool?
    /// What was bought along with it in one purchase: add-ons of a subscription or further products; Google Play only.
    var furtherProductIDs: [String]?

    /// The side of the store.
    enum Environment: String, Codable, Sendable {
        case production
        case sandbox
    }
}

/// The store that sold something.
enum SandboxStore: String, Codable, Sendable {
    case appStore = "app_store"
    case googlePlay = "play_store"
}

extension SandboxTransaction {
    var store: SandboxStore { self.storeOfSale ?? .appStore }

    /// Google Play's order id.
    var orderID: String? { self.store == .googlePlay ? self.id : nil }

    /// Whether no further period of its commitment follows; true without a commitment.
    var endsCommitment: Bool { self.billingPeriod == self.billingPeriods }

    /// One purchase of each of its products, this one first.
    var products: [SandboxTransaction] {
        [self]
            + (self.furtherProductIDs ?? []).map { id in
                var product = self
                product.productID = id
                product.quantity = 1
                return product
            }
    }

    var isPending: Bool { self.pendingSince != nil && self.abandonedAt == nil }

    /// The refunded share of what was paid: 0 to 1 000 000.
    var refundedShare: Int {
        guard self.cancelledAt != nil, self.revokedAt == nil else { return 0 }
        return self.refundedMillionths ?? 1_000_000
    }

    /// Whether nothing of it is left: refunded in full, or revoked.
    var isUndone: Bool { self.revokedAt != nil || self.refundedShare == 1_000_000 }

    /// Whether the store still shows it: a refunded or finished consumable is gone, a refunded period stays, marked.
    var isShown: Bool {
        switch self.kind {
        case .subscription: true
        case .nonRenewing: !self.isUndone
        case .consumable: !self.isUndone && !self.isFinished
        }
    }
}
