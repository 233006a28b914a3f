import Foundation
import Wallet
import WalletAPI

/// A change of credits in the format of the apps' history.
struct TransactionRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let userID: String
    let transactionType: String
    let creditAmount: Int64
    let balanceAfter: Int64
    let referenceType: String?
    let referenceID: String?
    let description: String
    let metadata: [String: String]
    let createdAt: Date
    let amountFormatted: String
    let isPositive: Bool
    let displayType: String

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case transactionType = "transaction_type"
        case creditAmount = "credit_amount"
        case balanceAfter = "balance_after"
        case referenceType = "reference_type"
        case referenceID = "reference_id"
        case description, metadata
        case createdAt = "created_at"
        case amountFormatted = "amount_formatted"
        case isPositive = "is_positive"
        case displayType = "display_type"
    }

    init(_ movement: CreditMovement, of user: UserID) {
        let kind = TransactionKind(movement)
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: movement.hash))
        self.userID = user.rawValue
        self.transactionType = kind.type
        self.creditAmount = movement.amount
        self.balanceAfter = movement.balanceAfter
        self.referenceType = movement.bookingID != nil ? "booking" : movement.transactionID.map { _ in "purchase" }
        self.referenceID = movement.bookingID?.wireText ?? movement.transactionID
        self.description = movement.reason ?? movement.classTitle ?? movement.productName ?? kind.name
        var metadata = ["kind": movement.kind, "version": String(movement.version)]
        metadata["lot_id"] = movement.lotID?.wireText
        metadata["source"] = movement.source
        self.metadata = metadata
        self.createdAt = movement.at
        self.amountFormatted = "\(movement.amount > 0 ? "+" : "")\(SupabaseText.amount(movement.amount, .credit))"
        self.isPositive = movement.amount > 0
        self.displayType = kind.displayType
    }
}

/// The type of a ledger entry: one of the five types that the apps decode, and the type that they display.
private struct TransactionKind: Sendable, Equatable {
    /// One of `purchase`, `spend`, `refund`, `bonus` and `admin_adjustment`, the only types that the apps decode.
    let type: String
    /// The same type, or `usage`, `rollover` or `expiration`.
    let displayType: String
    /// The description of an entry without a reason, class or product of its own.
    let name: String

    init(_ movement: CreditMovement) {
        switch movement.kind {
        case "grant" where movement.source == "promo": self.init("bonus", "bonus", "Gift")
        case "grant": self.init("purchase", "purchase", "Purchase")
        case "refund_reversal": self.init("purchase", "purchase", "Purchase restored")
        case "spend": self.init("spend", "usage", "Booking")
        case "return", "reopen": self.init("refund", "refund", "Cancellation")
        case "refund": self.init("refund", "refund", "Purchase refunded")
        case "rollover": self.init("bonus", "rollover", "Rollover")
        case "lapse": self.init("admin_adjustment", "expiration", "Expired")
        case "adjust" where movement.source == "promo": self.init("bonus", "bonus", "Gift")
        case "import": self.init("admin_adjustment", "admin_adjustment", "Imported")
        case "transfer_in", "transfer_out": self.init("admin_adjustment", "admin_adjustment", "Moved between accounts")
        case "fee", "fee_return": self.init("admin_adjustment", "admin_adjustment", "Fee")
        case "freeze": self.init("admin_adjustment", "admin_adjustment", "Expiry moved")
        case "repay", "repay_return": self.init("admin_adjustment", "admin_adjustment", "Debt")
        default: self.init("admin_adjustment", "admin_adjustment", "Adjustment")
        }
    }

    private init(_ type: String, _ displayType: String, _ name: String) {
        self.type = type
        self.displayType = displayType
        self.name = name
    }
}

/// A purchase of a pack in the format of the apps' history.
struct PurchaseRow: Encodable, Sendable {
    /// The pack's texts that are shown with the purchase.
    struct Bought: Encodable, Sendable {
        let name: String
        let description: String
    }

    let id: String
    let userID: String
    @WireUUID var creditPackID: UUID
    let productID: String
    let transactionID: String
    let amountPaidCents: Int64?
    let currency: String?
    let creditsReceived: Int64
    let bonusCredits: Int64
    let totalCreditsReceived: Int64
    let status: String
    let amountFormatted: String?
    let creditPack: Bought
    let createdAt: Date
    let updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case creditPackID = "credit_pack_id"
        case productID = "product_id"
        case transactionID = "transaction_id"
        case amountPaidCents = "amount_paid_cents"
        case currency
        case creditsReceived = "credits_received"
        case bonusCredits = "bonus_credits"
        case totalCreditsReceived = "total_credits_received"
        case status
        case amountFormatted = "amount_formatted"
        case creditPack = "credit_pack"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ purchase: PackPurchase, of user: UserID) {
        self.id = purchase.transactionID
        self.userID = user.rawValue
        self._creditPackID = WireUUID(wrappedValue: SupabaseText.id(of: purchase.productID))
        self.productID = purchase.productID
        self.transactionID = purchase.transactionID
        self.amountPaidCents = purchase.paidMinor
        self.currency = purchase.currency
        self.creditsReceived = purchase.granted - purchase.bonus
        self.bonusCredits = purchase.bonus
        self.totalCreditsReceived = purchase.granted
        self.status = purchase.status
        self.amountFormatted = purchase.paidMinor.map(SupabaseText.money)
        self.creditPack = Bought(name: purchase.name, description: purchase.description)
        self.createdAt = purchase.purchasedAt
        self.updatedAt = purchase.updatedAt
    }
}
