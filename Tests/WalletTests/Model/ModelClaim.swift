import Foundation
import Stores
import Wallet

/// One identifier of a purchase, with the product if a store listed several products in it.
///
/// Facts that share an identifier belong to the same claim (rule 12).
struct PurchaseName: Hashable {
    enum Identifier: Hashable {
        case transaction(String)
        case lineItem(String)
        case second(original: String, Int)
        case token(String)
        case order(String)
    }

    let identifier: Identifier
    let product: String?

    static func names(in fact: StoreFact) -> Set<PurchaseName> {
        var identifiers: [Identifier] = [.transaction(fact.transactionID)]
        // Google Play's periods share one start, and so do transactions that the App Store restored.
        if let original = fact.originalTransactionID, fact.store != .playStore {
            identifiers.append(.second(original: original, Int(fact.purchasedAt.timeIntervalSince1970.rounded(.down))))
        }
        if let line = fact.lineItemID { identifiers.append(.lineItem(line)) }
        if let token = fact.purchaseToken, fact.kind == .oneTime { identifiers.append(.token(token)) }
        if let order = fact.orderID { identifiers.append(.order(order)) }
        let product = fact.purchaseProducts == nil ? nil : fact.storeProductID
        return Set(identifiers.map { PurchaseName(identifier: $0, product: product) })
    }
}

/// The newest report of a value; of two reports at the same instant, the greater value.
struct Told<Value> {
    private(set) var value: Value?
    private(set) var at = Date.distantPast

    mutating func hear(_ word: Value?, at instant: Date, isLess: (Value, Value) -> Bool) {
        guard let word, instant >= self.at else { return }
        if instant == self.at, let known = self.value, !isLess(known, word) { return }
        self.value = word
        self.at = instant
    }
}

/// The data of one purchase, collected from all reports.
struct ModelClaim {
    let store: StoreName
    let environment: WalletEnvironment
    /// The purchase's public name: the transaction id that was reported first.
    let transactionID: String
    let kind: StoreFact.Kind
    let storeProductID: String
    let ownership: StoreFact.Ownership
    let purchasedAt: Date
    var names: Set<PurchaseName> = []
    var original: String?
    var owner: Int?
    var productID: String?
    var quantity = 1
    var expiresAt: Date?
    var periodType: StoreFact.PeriodType?
    var pending: Bool
    var token: UUID?
    var willRenew = Told<Bool>()
    var graceEndsAt = Told<Date>()
    var share: Int64 = 0
    var shareToldAt: Date?
    var grantAmount: Int64 = 0
    /// The billing period within its commitment, and the amount that one piece of the whole commitment grants.
    var commitment: StoreFact.Commitment?
    var commitmentAmount: Int64?
    /// The product's days of grace at the time of the grant.
    var graceDays = 7
    /// The position of this grant among all grants; nil if the claim was not granted.
    var grantedAs: Int?
    /// The lots of the grant, in the order of the bundle.
    var lots: [LotKey] = []
    /// The further lots of the product at the time of the grant.
    var bundle: [ModelBundleItem] = []
    var verdict = "new"
    /// The claim of the same purchase into which this claim was merged.
    var mergedInto: Int?

    /// The lot of the product's own amount.
    var lot: LotKey? { self.lots.first }
    var accessEndsAt: Date { max(self.expiresAt ?? .distantPast, self.graceEndsAt.value ?? .distantPast) }

    init(_ fact: StoreFact) {
        self.store = fact.store
        self.environment = WalletEnvironment(fact.environment)
        self.transactionID = fact.transactionID
        self.kind = fact.kind
        self.storeProductID = fact.storeProductID
        self.ownership = fact.ownership
        self.purchasedAt = fact.purchasedAt
        self.pending = fact.pending
    }

    /// Fills in missing data from a fact.
    ///
    /// Existing data is never removed. For refunds the newest report counts, and at the same instant the larger share.
    mutating func learn(_ fact: StoreFact) {
        self.names.formUnion(PurchaseName.names(in: fact))
        self.original = self.original ?? fact.originalTransactionID
        self.quantity = max(self.quantity, fact.quantity)
        self.expiresAt = self.expiresAt ?? fact.expiresAt
        self.periodType = self.periodType ?? fact.periodType
        self.commitment = self.commitment ?? fact.commitment
        self.pending = self.pending && fact.pending
        self.token = self.token ?? fact.appAccountToken
        self.willRenew.hear(fact.willRenew, at: fact.sourceAt) { !$0 && $1 }
        self.graceEndsAt.hear(fact.graceEndsAt, at: fact.sourceAt, isLess: <)
        if let share = fact.refundedMillionths {
            self.hear(share: Int64(share), at: fact.sourceAt)
        }
    }

    /// A Boolean value that indicates whether a store listed several products in the purchase.
    var isListed: Bool { self.names.contains { $0.product != nil } }

    /// A Boolean value that indicates whether any report gave the claim this transaction id.
    func goes(by transactionID: String) -> Bool {
        self.names.contains { $0.identifier == .transaction(transactionID) }
    }

    mutating func hear(share: Int64, at instant: Date) {
        let known = self.shareToldAt ?? .distantPast
        guard instant >= known else { return }
        self.share = instant == known ? max(self.share, share) : share
        self.shareToldAt = instant
    }
}

/// A product of the catalogue; the walk's products have the same id in all stores.
struct ModelProduct: Equatable {
    var id: String
    var kind: String
    var unit: CreditUnit
    var amount: Int64
    var bonus: Int64
    var validDays: Int?
    var trialAmount: Int64 = 0
    var unlimited = false
    /// The number of days for which a visit is spendable again if the studio returned it after its expiry.
    var graceDays = 7
    var daysAhead: Int?
    /// The length of a plan's period that is billed up front.
    var period = "P1M"
    /// The total amount that a commitment with monthly billing grants.
    var commitmentAmount: Int64?
    /// The days after the purchase within which the first use starts the validity.
    var startsWithinDays: Int?
    var bundle: [ModelBundleItem] = []
}

/// A further lot of a bundle.
struct ModelBundleItem: Equatable {
    var unit: CreditUnit
    var amount: Int64
    var validDays: Int?
    var startsWithinDays: Int?
}
