public import Foundation

/// A price in a currency's major unit, such as 49.00 USD.
public struct Money: Decodable, Sendable, Equatable {
    /// The amount.
    public let amount: Decimal
    /// The ISO 4217 code.
    public let currency: String
}

/// A product's identifiers in the stores that sell it.
public struct StoreIDs: Decodable, Sendable, Equatable {
    /// The App Store product id.
    public let appStore: String?
    /// The Google Play product id.
    public let playStore: String?
    /// The RevenueCat product id.
    public let revenueCat: String?

    private enum CodingKeys: String, CodingKey {
        case appStore = "app_store"
        case playStore = "play_store"
        case revenueCat = "revenuecat"
    }
}

/// A pack of credits or a pass of visits that is on sale.
public struct Pack: Decodable, Sendable, Equatable {
    /// The catalogue's product id.
    public let productID: String
    /// The name to show.
    public let name: String
    /// What it is, in a sentence.
    public let description: String
    /// What it grants: `credit` or `visit`.
    public let unit: String
    /// How much it grants, without the bonus.
    public let credits: Int64
    /// How much it grants on top.
    public let bonusCredits: Int64
    /// How much it grants in all.
    public let totalCredits: Int64
    /// The list price.
    public let price: Money
    /// The list price divided by all that is granted.
    public let pricePerCredit: Decimal
    /// How much less one credit costs than in the smallest pack, in percent.
    public let savingsPercentage: Int
    /// Whether to point it out.
    public let isPopular: Bool
    /// Its place in the list.
    public let displayOrder: Int
    /// Its ids in the stores.
    public let storeIDs: StoreIDs

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
        case storeIDs = "store_ids"
    }
}

/// A subscription tier that is on sale.
public struct Plan: Decodable, Sendable, Equatable {
    /// What a period or a trial grants.
    public struct Grant: Decodable, Sendable, Equatable {
        /// `credit` or `visit`.
        public let unit: String
        /// How much.
        public let amount: Int64
    }

    /// The catalogue's product id.
    public let productID: String
    /// The name to show.
    public let name: String
    /// What it is, in a sentence.
    public let description: String
    /// The list price of one period.
    public let price: Money
    /// Whether to point it out.
    public let isPopular: Bool
    /// Its place in the list.
    public let displayOrder: Int
    /// Its rank; the highest live one is the user's.
    public let tier: Int
    /// The entitlements that it opens.
    public let entitlements: [String]
    /// The length of a period, as an ISO 8601 duration such as `P1M`.
    public let period: String
    /// What a period grants; nil for an unlimited plan.
    public let grants: Grant?
    /// Whether it books without limit.
    public let unlimited: Bool
    /// How much of what a period left unspent moves into the next, in percent.
    public let rolloverPercentage: Int
    /// What a trial grants, if anything.
    public let trial: Grant?
    /// Its ids in the stores.
    public let storeIDs: StoreIDs

    private enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case name
        case description
        case price
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case tier
        case entitlements
        case period
        case grants
        case unlimited
        case rolloverPercentage = "rollover_percentage"
        case trial
        case storeIDs = "store_ids"
    }
}
