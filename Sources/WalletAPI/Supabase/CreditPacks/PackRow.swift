import Foundation
import Wallet

/// A pack on sale, under all the names that existing apps read.
struct PackRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let productID: String
    let name: String
    let description: String
    let credits: Int64
    let creditAmount: Int64
    let bonusCredits: Int64
    let totalCredits: Int64
    let price: Decimal
    let priceCents: Int64
    let priceFormatted: String
    let currency: String
    let pricePerCredit: Decimal
    let valuePerCredit: String
    let savingsPercentage: Int
    let isPopular: Bool
    let isActive = true
    let displayOrder: Int
    let appleProductID: String?
    let googleProductID: String?
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case productID = "product_id"
        case name, description, credits
        case creditAmount = "credit_amount"
        case bonusCredits = "bonus_credits"
        case totalCredits = "total_credits"
        case price
        case priceCents = "price_cents"
        case priceFormatted = "price_formatted"
        case currency
        case pricePerCredit = "price_per_credit"
        case valuePerCredit = "value_per_credit"
        case savingsPercentage = "savings_percentage"
        case isPopular = "is_popular"
        case isActive = "is_active"
        case displayOrder = "display_order"
        case appleProductID = "apple_product_id"
        case googleProductID = "google_product_id"
        case createdAt = "created_at"
    }

    init(_ pack: Pack) {
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: pack.productID))
        self.productID = pack.productID
        self.name = pack.name
        self.description = pack.description
        self.credits = pack.credits
        self.creditAmount = pack.credits
        self.bonusCredits = pack.bonusCredits
        self.totalCredits = pack.totalCredits
        self.price = pack.price.amount
        self.priceCents = SupabaseText.minor(pack.price.amount)
        self.priceFormatted = SupabaseText.decimal(pack.price.amount)
        self.currency = pack.price.currency
        self.pricePerCredit = pack.pricePerCredit
        self.valuePerCredit = SupabaseText.decimal(pack.pricePerCredit)
        self.savingsPercentage = pack.savingsPercentage
        self.isPopular = pack.isPopular
        self.displayOrder = pack.displayOrder
        self.appleProductID = pack.storeIDs.appStore
        self.googleProductID = pack.storeIDs.playStore
        self.createdAt = pack.createdAt
    }
}
