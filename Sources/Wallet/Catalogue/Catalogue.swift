public import Foundation

/// A price in a currency's major unit, such as 49.00 USD.
public struct Money: Codable, Sendable, Equatable {
    /// The amount, exact to the currency's minor unit.
    public var amount: Decimal
    /// The ISO 4217 code.
    public var currency: String

    /// The amount in hundredths, cut where it has more than two decimals.
    public var minorAmount: Int64 {
        var amount = self.amount * 100
        var whole = Decimal()
        NSDecimalRound(&whole, &amount, 0, .down)
        return NSDecimalNumber(decimal: whole).int64Value
    }
}

/// A product's identifiers in the stores that sell it.
public struct StoreIDs: Codable, Sendable, Equatable {
    /// The App Store product id.
    @Nullable public var appStore: String?
    /// The Google Play product id.
    @Nullable public var playStore: String?
    /// The RevenueCat product id.
    @Nullable public var revenueCat: String?

    enum CodingKeys: String, CodingKey {
        case appStore = "app_store"
        case playStore = "play_store"
        case revenueCat = "revenuecat"
    }

    /// Makes ids; nil where a store does not sell it.
    public init(appStore: String? = nil, playStore: String? = nil, revenueCat: String? = nil) {
        self.appStore = appStore
        self.playStore = playStore
        self.revenueCat = revenueCat
    }

    /// Reads ids; a store that is not named does not sell it.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for members of the wrong type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appStore: try container.decodeIfPresent(String.self, forKey: .appStore),
            playStore: try container.decodeIfPresent(String.self, forKey: .playStore),
            revenueCat: try container.decodeIfPresent(String.self, forKey: .revenueCat)
        )
    }
}

/// A pack of credits or a pass of visits that is on sale.
public struct Pack: Encodable, Sendable {
    /// The catalogue's product id.
    public var productID: String
    /// `pack` (credits that never expire) or `pass` (visits that may).
    public var kind: String
    /// The name to show.
    public var name: String
    /// What it is, in a sentence.
    public var description: String
    /// What it grants.
    public var unit: CreditUnit
    /// How much it grants, without the bonus.
    public var credits: Int64
    /// How much it grants on top.
    public var bonusCredits: Int64
    /// How much it grants in all.
    public var totalCredits: Int64
    /// The list price.
    public var price: Money
    /// The list price divided by all that is granted, rounded to the cent.
    public var pricePerCredit: Decimal
    /// How much less one credit costs than in the smallest pack of the same unit, in whole percent.
    public var savingsPercentage: Int
    /// Whether to point it out.
    public var isPopular: Bool
    /// Its place in the list.
    public var displayOrder: Int
    /// For how many days after the purchase a pass is valid; nil for always.
    @Nullable public var validDays: Int?
    /// Its ids in the stores.
    public var storeIDs: StoreIDs
    /// Since when it is in the catalogue.
    public var createdAt: Date

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case kind, name, description, unit, credits
        case bonusCredits = "bonus_credits"
        case totalCredits = "total_credits"
        case price
        case pricePerCredit = "price_per_credit"
        case savingsPercentage = "savings_percentage"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case validDays = "valid_days"
        case storeIDs = "store_ids"
    }
}

/// A subscription tier that is on sale.
public struct Plan: Encodable, Sendable {
    /// What one period of the plan grants.
    public struct Grant: Encodable, Sendable {
        /// What is granted.
        public var unit: CreditUnit
        /// How much is granted.
        public var amount: Int64
    }

    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// What it is, in a sentence.
    public var description: String
    /// The list price of one period.
    public var price: Money
    /// The list price divided by what a period grants; nil for an unlimited plan.
    @Nullable public var pricePerCredit: Decimal?
    /// Whether to point it out.
    public var isPopular: Bool
    /// Its place in the list.
    public var displayOrder: Int
    /// Its rank: the highest live tier is the user's tier.
    public var tier: Int
    /// The entitlements that it opens.
    public var entitlements: [String]
    /// The length of a period, as an ISO 8601 duration such as `P1M`.
    public var period: String
    /// What a period grants; nil for an unlimited plan.
    @Nullable public var grants: Grant?
    /// Whether it books without limit.
    public var unlimited: Bool
    /// How much of what a period left unspent moves into the next, in percent.
    public var rolloverPercentage: Int
    /// What a trial grants; nil when a trial grants nothing.
    @Nullable public var trial: Grant?
    /// Its ids in the stores.
    public var storeIDs: StoreIDs

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case name, description, price
        case pricePerCredit = "price_per_credit"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case tier, entitlements, period, grants, unlimited
        case rolloverPercentage = "rollover_percentage"
        case trial
        case storeIDs = "store_ids"
    }
}
