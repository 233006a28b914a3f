public import Foundation

/// What a wallet lacks for a booking and what to buy: all that a sheet needs that sells the way out.
public struct InsufficientCredits: Decodable, Sendable, Equatable {
    /// What is short of one unit.
    public struct Shortage: Decodable, Sendable, Equatable {
        /// `credit` or `visit`.
        public let unit: String
        /// What the booking costs.
        public let required: Int64
        /// What the wallet holds that may pay for it.
        public let available: Int64
        /// What is missing.
        public let needed: Int64
    }

    /// A pack or pass that covers what is missing.
    public struct PackOffer: Decodable, Sendable, Equatable {
        /// The catalogue's product id.
        public let productID: String
        /// The name to show.
        public let name: String
        /// What it grants: `credit` or `visit`.
        public let unit: String
        /// How much one grants in all.
        public let totalCredits: Int64
        /// How much of that is a bonus.
        public let bonusCredits: Int64
        /// How often to buy it; 1 where it covers what is missing alone.
        public let quantity: Int64
        /// What that costs in all.
        public let totalPrice: Money
        /// What one costs.
        public let price: Money
        /// The price divided by all that is granted.
        public let pricePerCredit: Decimal
        /// How much less one credit costs than in the smallest pack, in percent.
        public let savingsPercentage: Int
        /// Whether to point it out.
        public let isPopular: Bool
        /// Its ids in the stores.
        public let storeIDs: StoreIDs

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
    public struct PlanOffer: Decodable, Sendable, Equatable {
        /// The catalogue's product id.
        public let productID: String
        /// The name to show.
        public let name: String
        /// The length of a period, as an ISO 8601 duration such as `P1M`.
        public let period: String
        /// Whether it books without limit.
        public let unlimited: Bool
        /// What a period grants: `credit` or `visit`; nil for an unlimited plan.
        public let unit: String?
        /// How much a period grants; nil for an unlimited plan.
        public let amount: Int64?
        /// Whether its first period covers what is missing.
        public let covers: Bool
        /// What one period costs.
        public let price: Money
        /// Its ids in the stores.
        public let storeIDs: StoreIDs

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
    public struct Offers: Decodable, Sendable, Equatable {
        /// What covers what is missing, the cheapest first.
        public let packs: [PackOffer]
        /// The plans, those that cover what is missing first.
        public let plans: [PlanOffer]
    }

    /// What is short, `credit` or `visit`.
    public let unit: String
    /// What the booking costs.
    public let required: Int64
    /// What the wallet holds that may pay for it.
    public let available: Int64
    /// What is missing.
    public let needed: Int64
    /// What is short of every unit that could pay.
    public let shortages: [Shortage]
    /// What to buy.
    public let offers: Offers

    private enum CodingKeys: String, CodingKey {
        case unit
        case required = "credits_required"
        case available = "credits_available"
        case needed = "credits_needed"
        case shortages
        case offers
    }
}

extension WalletProblem {
    /// What the wallet lacks and what to buy, where that is the problem (402); ``detail`` says it in a sentence.
    public var insufficientCredits: InsufficientCredits? {
        guard self.slug == "insufficient-credits", let members = try? JSONEncoder().encode(self.members) else {
            return nil
        }
        return try? JSONDecoder().decode(InsufficientCredits.self, from: members)
    }
}
