import Foundation

/// The buyer, the product and the options of a purchase.
struct Purchase: Sendable {
    var store: SandboxStore
    var userID: String
    var productID: String
    /// Further products in the same purchase; Google Play only.
    var furtherProductIDs: [String] = []
    var quantity: Int
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var isTrial: Bool
    /// The purchase is a commitment of a year that is billed monthly.
    var isBilledMonthly: Bool
    var isFamilyShared: Bool
    /// The purchase is not paid yet; Google Play only.
    var isPending: Bool
    var appAccountToken: String?
    var priceMilliunits: Int?
    var currency: String?
    /// The purchase gets a separate receipt instead of being added to the user's receipt.
    var isSeparate: Bool
}

extension SandboxTransaction {
    init(id: String, of product: SandboxProduct, _ purchase: Purchase, at now: Date) {
        self.id = id
        self.originalID = id
        self.userID = purchase.userID
        self.productID = product.id(at: purchase.store)
        self.kind = product.kind
        self.quantity = purchase.quantity
        self.environment = purchase.environment
        self.bundleID = purchase.bundleID
        self.purchasedAt = now
        self.originalPurchasedAt = now
        if purchase.isBilledMonthly {
            self.billingPeriod = 1
            self.billingPeriods = Self.monthsOfYear
        }
        self.expiresAt = product.kind == .subscription ? now + product.length(inParts: self.billingPeriods) : nil
        self.isTrial = purchase.isTrial
        self.isFamilyShared = purchase.isFamilyShared
        self.appAccountToken = purchase.appAccountToken
        self.isFinished = false
        self.storeOfSale = purchase.store
        self.pendingSince = purchase.isPending ? now : nil
        self.priceMilliunits = purchase.priceMilliunits
        self.currency = purchase.currency
        self.purchaseToken = purchase.store == .googlePlay ? SandboxState.newPurchaseToken() : nil
        self.renewalNumber = product.kind == .subscription ? 0 : nil
    }

    private static let monthsOfYear = 12

    mutating func continueChain(of earlier: SandboxTransaction) {
        self.originalID = earlier.originalID
        self.originalPurchasedAt = earlier.originalPurchasedAt
        self.renewalNumber = (earlier.renewalNumber ?? 0) + 1
    }

    /// The key of the receipt on the buyer's device.
    var receiptKey: String {
        Self.receiptKey(of: self.userID, bundleID: self.bundleID, environment: self.environment)
    }

    static func receiptKey(of userID: String, bundleID: String, environment: Environment) -> String {
        "\(environment.rawValue):\(bundleID):\(userID)"
    }
}
