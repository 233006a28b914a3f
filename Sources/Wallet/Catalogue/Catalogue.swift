public import Foundation
import Postgres

extension Wallet {
    /// Lists the packs and passes on sale, in display order.
    ///
    /// SQL: `views/catalogue/packs.sql`.
    ///
    /// - Returns: The packs and passes.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func packs() async throws -> [Pack] {
        try await self.read(
            "SELECT p.*, p.unit::text AS unit_name FROM wallet.packs AS p ORDER BY p.display_order, p.product_id"
        ) { row in
            Pack(
                productID: try row.decode("product_id"),
                kind: try row.decode("kind"),
                name: try row.decode("name"),
                description: try row.decode("description"),
                unit: try row.decodeUnit("unit_name"),
                credits: try row.decode("credits"),
                bonusCredits: try row.decode("bonus_credits"),
                totalCredits: try row.decode("total_credits"),
                price: try Money(row: row),
                pricePerCredit: try row.decode("price_per_credit"),
                savingsPercentage: Int(try row.decode("savings_percentage", as: Int32.self)),
                isPopular: try row.decode("is_popular"),
                displayOrder: Int(try row.decode("display_order", as: Int32.self)),
                validDays: try row.decode("valid_days", as: Int32?.self).map(Int.init),
                startsWithinDays: try row.decode("starts_within_days", as: Int32?.self).map(Int.init),
                bundleItems: try row.decodeJSON("bundle_items"),
                storeIDs: try StoreIDs(row: row),
                createdAt: try row.decode("created_at")
            )
        }
    }

    /// Lists the subscription tiers on sale, in display order.
    ///
    /// SQL: `views/catalogue/plans.sql`.
    ///
    /// - Returns: The plans.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func plans() async throws -> [Plan] {
        try await self.read(
            "SELECT p.*, p.unit::text AS unit_name FROM wallet.plans AS p ORDER BY p.display_order, p.product_id"
        ) { row in try Plan(row: row) }
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
    /// A description of the product in one sentence.
    public var description: String
    /// The unit of the grant.
    public var unit: CreditUnit
    /// The granted amount without the bonus.
    public var credits: Int64
    /// The bonus that is granted in addition.
    public var bonusCredits: Int64
    /// The granted amount including the bonus.
    public var totalCredits: Int64
    /// The list price.
    public var price: Money
    /// The list price divided by the total grant, rounded to the cent.
    public var pricePerCredit: Decimal
    /// The saving per credit compared with the smallest pack of the same unit, in whole percent.
    public var savingsPercentage: Int
    /// A Boolean value that indicates whether apps should highlight the product.
    public var isPopular: Bool
    /// The position in lists.
    public var displayOrder: Int
    /// The number of days after the purchase or the first use for which a pass is valid; `nil` for no expiry.
    @Nullable public var validDays: Int?
    /// The number of days after the purchase within which the first use of a pass starts its validity; `nil` if the
    /// purchase starts it.
    @Nullable public var startsWithinDays: Int?
    /// The further lots that one purchase of a bundle grants.
    public var bundleItems: [BundleItem]
    /// The product's ids in the stores.
    public var storeIDs: StoreIDs
    /// The time at which the product was added to the catalogue.
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
        case startsWithinDays = "starts_within_days"
        case bundleItems = "bundle_items"
        case storeIDs = "store_ids"
    }
}

/// A subscription tier that is on sale.
public struct Plan: Encodable, Sendable {
    /// The grant of one period of the plan.
    public struct Grant: Encodable, Sendable {
        /// The unit of the grant.
        public var unit: CreditUnit
        /// The granted amount.
        public var amount: Int64
    }

    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// A description of the plan in one sentence.
    public var description: String
    /// The list price of one period.
    public var price: Money
    /// The list price divided by the grant of a period; `nil` for an unlimited plan.
    @Nullable public var pricePerCredit: Decimal?
    /// A Boolean value that indicates whether apps should highlight the plan.
    public var isPopular: Bool
    /// The position in lists.
    public var displayOrder: Int
    /// The plan's rank; the highest active tier is the user's tier.
    public var tier: Int
    /// The entitlements that the plan gives.
    public var entitlements: [String]
    /// The length of a period, as an ISO 8601 duration such as `P1M`.
    public var period: String
    /// The grant of a period; `nil` for an unlimited plan.
    @Nullable public var grants: Grant?
    /// A Boolean value that indicates whether the plan allows bookings without limit.
    public var unlimited: Bool
    /// The share of a period's unspent grant that moves to the next period, in percent.
    public var rolloverPercentage: Int
    /// The grant of a trial; `nil` if a trial grants nothing.
    @Nullable public var trial: Grant?
    /// The plan's ids in the stores.
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

extension Plan {
    fileprivate init(row: Row) throws {
        let unit: CreditUnit = try row.decodeUnit("unit_name")
        let amount: Int64 = try row.decode("amount")
        let trial: Int64 = try row.decode("trial_amount")
        self.init(
            productID: try row.decode("product_id"),
            name: try row.decode("name"),
            description: try row.decode("description"),
            price: try Money(row: row),
            pricePerCredit: try row.decode("price_per_credit"),
            isPopular: try row.decode("is_popular"),
            displayOrder: Int(try row.decode("display_order", as: Int32.self)),
            tier: Int(try row.decode("tier", as: Int32.self)),
            entitlements: try row.decode("entitlements"),
            period: try row.decode("period"),
            grants: amount > 0 ? Grant(unit: unit, amount: amount) : nil,
            unlimited: try row.decode("unlimited"),
            rolloverPercentage: Int(try row.decode("rollover_percentage", as: Int32.self)),
            trial: trial > 0 ? Grant(unit: unit, amount: trial) : nil,
            storeIDs: try StoreIDs(row: row)
        )
    }
}

/// A price in a currency's major unit, such as 49.00 USD.
public struct Money: Codable, Sendable, Equatable {
    /// The amount, exact to the currency's minor unit.
    public var amount: Decimal
    /// The ISO 4217 code.
    public var currency: String

    /// The amount in hundredths of the major unit; further decimals are cut off.
    public var minorAmount: Int64 {
        var amount = self.amount * 100
        var whole = Decimal()
        NSDecimalRound(&whole, &amount, 0, .down)
        return NSDecimalNumber(decimal: whole).int64Value
    }
}

extension Money {
    fileprivate init(row: Row) throws {
        self.init(amount: try row.decode("price"), currency: try row.decode("currency"))
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

    /// Creates ids; `nil` for a store that does not sell the product.
    public init(appStore: String? = nil, playStore: String? = nil, revenueCat: String? = nil) {
        self.appStore = appStore
        self.playStore = playStore
        self.revenueCat = revenueCat
    }

    /// Decodes ids; a store without a member does not sell the product.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appStore: try container.decodeIfPresent(String.self, forKey: .appStore),
            playStore: try container.decodeIfPresent(String.self, forKey: .playStore),
            revenueCat: try container.decodeIfPresent(String.self, forKey: .revenueCat)
        )
    }
}

extension StoreIDs {
    fileprivate init(row: Row) throws {
        self.init(
            appStore: try row.decode("app_store_id"),
            playStore: try row.decode("play_store_id"),
            revenueCat: try row.decode("revenuecat_id")
        )
    }
}
