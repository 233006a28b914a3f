public import Foundation

/// A pack of credits or a pass of visits that is on sale.
public struct Pack: Codable, Sendable, Hashable, Identifiable {
    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// A description to show, in a sentence.
    public var description: String
    /// The unit that it grants: `credit` or `visit`.
    public var unit: BalanceUnit
    /// The amount that it grants, without the bonus.
    public var credits: Int64
    /// The bonus amount.
    public var bonusCredits: Int64
    /// The total amount that it grants.
    public var totalCredits: Int64
    /// The list price.
    public var price: Money
    /// The list price divided by the total amount granted.
    public var pricePerCredit: Decimal
    /// The saving of one credit compared with the smallest pack, in percent.
    public var savingsPercentage: Int
    /// A Boolean value that indicates whether the app should feature the product.
    public var isPopular: Bool
    /// The product's position in the list.
    public var displayOrder: Int
    /// The number of days after the purchase or the first use for which visits are valid; nil if they never expire.
    public var validDays: Int?
    /// The number of days after the purchase within which the first use starts the validity; nil if the purchase starts
    /// it.
    public var startsWithinDays: Int?
    /// The further lots that one purchase of a bundle grants.
    public var bundleItems: [BundleItem]
    /// Its ids in the stores.
    public var storeIDs: StoreIDs

    /// The identity in a list, ``productID``.
    public var id: String { self.productID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        productID: String,
        name: String,
        description: String,
        unit: BalanceUnit,
        credits: Int64,
        bonusCredits: Int64,
        totalCredits: Int64,
        price: Money,
        pricePerCredit: Decimal,
        savingsPercentage: Int,
        isPopular: Bool,
        displayOrder: Int,
        validDays: Int? = nil,
        startsWithinDays: Int? = nil,
        bundleItems: [BundleItem] = [],
        storeIDs: StoreIDs
    ) {
        self.productID = productID
        self.name = name
        self.description = description
        self.unit = unit
        self.credits = credits
        self.bonusCredits = bonusCredits
        self.totalCredits = totalCredits
        self.price = price
        self.pricePerCredit = pricePerCredit
        self.savingsPercentage = savingsPercentage
        self.isPopular = isPopular
        self.displayOrder = displayOrder
        self.validDays = validDays
        self.startsWithinDays = startsWithinDays
        self.bundleItems = bundleItems
        self.storeIDs = storeIDs
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case name
        case description
        case unit
        case credits
        case bonusCredits = "bonus_credits"
        case totalCredits = "total_credits"
        case price
        case pricePerCredit = "price_per_credit"
        case savingsPercentage = "savings_percentage"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case validDays = "valid_days"
        case startsWithinDays = "starts_within_days"
        case bundleItems = "bundle_items"
        case storeIDs = "store_ids"
    }
}
