public import Foundation

/// What a wallet lacks for a booking and what to buy: all that a sheet needs that sells the way out.
public struct InsufficientCredits: Codable, Sendable, Hashable {
    /// What is short of one unit.
    public struct Shortage: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// What the booking costs.
        public var required: Int64
        /// What the wallet holds that may pay for it.
        public var available: Int64
        /// What is missing.
        public var needed: Int64

        /// Creates a value of the given properties, for previews and tests.
        public init(
            unit: BalanceUnit,
            required: Int64,
            available: Int64,
            needed: Int64
        ) {
            self.unit = unit
            self.required = required
            self.available = available
            self.needed = needed
        }
    }

    /// A pack or pass that covers what is missing.
    public struct PackOffer: Codable, Sendable, Hashable, Identifiable {
        /// The catalogue's product id.
        public var productID: String
        /// The name to show.
        public var name: String
        /// What it grants: `credit` or `visit`.
        public var unit: BalanceUnit
        /// How much one grants in all.
        public var totalCredits: Int64
        /// How much of that is a bonus.
        public var bonusCredits: Int64
        /// How often to buy it; 1 where it covers what is missing alone.
        public var quantity: Int64
        /// What that costs in all.
        public var totalPrice: Money
        /// What one costs.
        public var price: Money
        /// The price divided by all that is granted.
        public var pricePerCredit: Decimal
        /// How much less one credit costs than in the smallest pack, in percent.
        public var savingsPercentage: Int
        /// Whether to point it out.
        public var isPopular: Bool
        /// Its ids in the stores.
        public var storeIDs: StoreIDs

        /// The identity in a list, ``productID``.
        public var id: String { self.productID }

        /// Creates a value of the given properties, for previews and tests.
        public init(
            productID: String,
            name: String,
            unit: BalanceUnit,
            totalCredits: Int64,
            bonusCredits: Int64,
            quantity: Int64,
            totalPrice: Money,
            price: Money,
            pricePerCredit: Decimal,
            savingsPercentage: Int,
            isPopular: Bool,
            storeIDs: StoreIDs
        ) {
            self.productID = productID
            self.name = name
            self.unit = unit
            self.totalCredits = totalCredits
            self.bonusCredits = bonusCredits
            self.quantity = quantity
            self.totalPrice = totalPrice
            self.price = price
            self.pricePerCredit = pricePerCredit
            self.savingsPercentage = savingsPercentage
            self.isPopular = isPopular
            self.storeIDs = storeIDs
        }

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case name
            case unit
            case totalCredits = "total_credits"
            case bonusCredits = "bonus_credits"
            case quantity
            case totalPrice = "total_price"
            case price
            case pricePerCredit = "price_per_credit"
            case savingsPercentage = "savings_percentage"
            case isPopular = "is_popular"
            case storeIDs = "store_ids"
        }
    }

    /// A plan that may be taken instead.
    public struct PlanOffer: Codable, Sendable, Hashable, Identifiable {
        /// The catalogue's product id.
        public var productID: String
        /// The name to show.
        public var name: String
        /// The length of a period, as an ISO 8601 duration such as `P1M`.
        public var period: String
        /// Whether it books without limit.
        public var unlimited: Bool
        /// What a period grants: `credit` or `visit`; nil for an unlimited plan.
        public var unit: BalanceUnit?
        /// How much a period grants; nil for an unlimited plan.
        public var amount: Int64?
        /// Whether its first period covers what is missing.
        public var covers: Bool
        /// What one period costs.
        public var price: Money
        /// Its ids in the stores.
        public var storeIDs: StoreIDs

        /// The identity in a list, ``productID``.
        public var id: String { self.productID }

        /// Creates a value of the given properties, for previews and tests.
        public init(
            productID: String,
            name: String,
            period: String,
            unlimited: Bool,
            unit: BalanceUnit? = nil,
            amount: Int64? = nil,
            covers: Bool,
            price: Money,
            storeIDs: StoreIDs
        ) {
            self.productID = productID
            self.name = name
            self.period = period
            self.unlimited = unlimited
            self.unit = unit
            self.amount = amount
            self.covers = covers
            self.price = price
            self.storeIDs = storeIDs
        }

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case name
            case period
            case unlimited
            case unit
            case amount
            case covers
            case price
            case storeIDs = "store_ids"
        }
    }

    /// What can be bought.
    public struct Offers: Codable, Sendable, Hashable {
        /// What covers what is missing, the cheapest first.
        public var packs: [PackOffer]
        /// The plans, those that cover what is missing first.
        public var plans: [PlanOffer]

        /// Creates a value of the given properties, for previews and tests.
        public init(
            packs: [PackOffer] = [],
            plans: [PlanOffer] = []
        ) {
            self.packs = packs
            self.plans = plans
        }
    }

    /// What is short, `credit` or `visit`.
    public var unit: BalanceUnit
    /// What the booking costs.
    public var required: Int64
    /// What the wallet holds that may pay for it.
    public var available: Int64
    /// What is missing.
    public var needed: Int64
    /// What is short of every unit that could pay.
    public var shortages: [Shortage]
    /// What to buy.
    public var offers: Offers

    /// Creates a value of the given properties, for previews and tests.
    public init(
        unit: BalanceUnit,
        required: Int64,
        available: Int64,
        needed: Int64,
        shortages: [Shortage] = [],
        offers: Offers
    ) {
        self.unit = unit
        self.required = required
        self.available = available
        self.needed = needed
        self.shortages = shortages
        self.offers = offers
    }

    private enum CodingKeys: String, CodingKey {
        case unit
        case required = "credits_required"
        case available = "credits_available"
        case needed = "credits_needed"
        case shortages
        case offers
    }
}
