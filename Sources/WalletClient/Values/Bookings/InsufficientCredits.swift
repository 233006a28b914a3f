public import Foundation

/// A shortage for a booking and the products that cover it, as a purchase sheet needs them.
public struct InsufficientCredits: Codable, Sendable, Hashable {
    /// The shortage of one unit.
    public struct Shortage: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// The price of the booking.
        public var required: Int64
        /// The amount in the wallet that may pay for the booking.
        public var available: Int64
        /// The amount that is missing.
        public var needed: Int64

        /// Creates a value with the given properties, for previews and tests.
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

    /// A pack or pass that covers the missing amount.
    public struct PackOffer: Codable, Sendable, Hashable, Identifiable {
        /// The catalogue's product id.
        public var productID: String
        /// The name to show.
        public var name: String
        /// The unit that it grants: `credit` or `visit`.
        public var unit: BalanceUnit
        /// The total amount that one grants.
        public var totalCredits: Int64
        /// The part of that amount that is a bonus.
        public var bonusCredits: Int64
        /// The number to buy; 1 if a single one covers the missing amount.
        public var quantity: Int64
        /// The total price of that number.
        public var totalPrice: Money
        /// The price of one.
        public var price: Money
        /// The price divided by the total amount granted.
        public var pricePerCredit: Decimal
        /// The saving of one credit compared with the smallest pack, in percent.
        public var savingsPercentage: Int
        /// A Boolean value that indicates whether the app should feature the product.
        public var isPopular: Bool
        /// Its ids in the stores.
        public var storeIDs: StoreIDs

        /// The identity in a list, ``productID``.
        public var id: String { self.productID }

        /// Creates a value with the given properties, for previews and tests.
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

    /// A plan that the user may buy instead.
    public struct PlanOffer: Codable, Sendable, Hashable, Identifiable {
        /// The catalogue's product id.
        public var productID: String
        /// The name to show.
        public var name: String
        /// The length of a period, as an ISO 8601 duration such as `P1M`.
        public var period: String
        /// A Boolean value that indicates whether the plan books without limit.
        public var isUnlimited: Bool
        /// The unit that a period grants, `credit` or `visit`; nil for an unlimited plan.
        public var unit: BalanceUnit?
        /// The amount that a period grants; nil for an unlimited plan.
        public var amount: Int64?
        /// A Boolean value that indicates whether the first period covers the missing amount.
        public var coversShortage: Bool
        /// The price of one period.
        public var price: Money
        /// Its ids in the stores.
        public var storeIDs: StoreIDs

        /// The identity in a list, ``productID``.
        public var id: String { self.productID }

        /// Creates a value with the given properties, for previews and tests.
        public init(
            productID: String,
            name: String,
            period: String,
            isUnlimited: Bool,
            unit: BalanceUnit? = nil,
            amount: Int64? = nil,
            coversShortage: Bool,
            price: Money,
            storeIDs: StoreIDs
        ) {
            self.productID = productID
            self.name = name
            self.period = period
            self.isUnlimited = isUnlimited
            self.unit = unit
            self.amount = amount
            self.coversShortage = coversShortage
            self.price = price
            self.storeIDs = storeIDs
        }

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case name
            case period
            case isUnlimited = "unlimited"
            case unit
            case amount
            case coversShortage = "covers"
            case price
            case storeIDs = "store_ids"
        }
    }

    /// The products that the user can buy.
    public struct Offers: Codable, Sendable, Hashable {
        /// The packs and passes that cover the missing amount, cheapest first.
        public var packs: [PackOffer]
        /// The plans; those that cover the missing amount come first.
        public var plans: [PlanOffer]

        /// Creates a value with the given properties, for previews and tests.
        public init(
            packs: [PackOffer] = [],
            plans: [PlanOffer] = []
        ) {
            self.packs = packs
            self.plans = plans
        }
    }

    /// The unit that is short, `credit` or `visit`.
    public var unit: BalanceUnit
    /// The price of the booking.
    public var required: Int64
    /// The amount in the wallet that may pay for the booking.
    public var available: Int64
    /// The amount that is missing.
    public var needed: Int64
    /// The shortages of every unit that could pay.
    public var shortages: [Shortage]
    /// The products to buy.
    public var offers: Offers

    /// Creates a value with the given properties, for previews and tests.
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
