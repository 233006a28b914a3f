import Foundation
import Wallet

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
