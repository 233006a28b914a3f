/// An operator's definition of a product; an omitted member has the default of a new product.
public struct ProductDefinition: Codable, Sendable, Equatable {
    /// The kind of product.
    public enum Kind: String, Codable, Sendable, NamedValue {
        /// Credits that never expire.
        case pack
        /// Visits that may expire.
        case pass
        /// A subscription.
        case plan
    }

    /// The kind: a pack, a pass or a plan.
    ///
    /// It never changes.
    public var kind: Kind
    /// The name to show, 1 to 200 characters.
    public var name: String
    /// A description of the product in one sentence.
    public var description: String?
    /// The unit of the grant.
    ///
    /// It never changes.
    public var unit: CreditUnit
    /// The grant of one purchase or period, without the bonus.
    public var amount: Int64?
    /// The bonus that is granted in addition.
    public var bonus: Int64?
    /// The list price.
    public var price: Money
    /// A Boolean value that indicates whether the product is on sale; true by default.
    public var isActive: Bool?
    /// A Boolean value that indicates whether apps should highlight the product.
    public var isPopular: Bool?
    /// The position in lists.
    public var displayOrder: Int?
    /// The product's ids in the stores.
    public var storeIDs: StoreIDs?
    /// The number of days after the purchase for which a pass is valid; `nil` for no expiry.
    public var validDays: Int?
    /// The number of days for which an expired lot is reopened when the studio cancels a class and returns a payment to
    /// it; 7 by default.
    public var graceDays: Int?
    /// A plan's rank.
    public var tier: Int?
    /// The entitlements that a plan gives.
    public var entitlements: [String]?
    /// The length of a plan's period, such as `P1M`.
    public var period: String?
    /// A Boolean value that indicates whether a plan allows bookings without limit.
    public var unlimited: Bool?
    /// The grant of a plan's trial.
    public var trialAmount: Int64?
    /// The share of a period's unspent grant that moves to the next period, in percent.
    public var rolloverPercentage: Int?
    /// The maximum amount that moves to the next period; `nil` for no maximum.
    public var rolloverCap: Int64?
    /// The subscription group; plans of one group replace one another.
    public var subscriptionGroup: String?
    /// The source of the grant: `purchase`, or `virtual_currency` if the store itself reports the amount.
    public var grantSource: String?
    /// The number of days ahead that a plan's holders can book; `nil` for no limit.
    public var daysAhead: Int?
    /// The total grant of a commitment that is billed monthly, over all of its months; `nil` for `amount` and `bonus`.
    public var commitmentAmount: Int64?

    enum CodingKeys: String, CodingKey {
        case kind, name, description, unit, amount, bonus, price
        case isActive = "is_active"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case storeIDs = "store_ids"
        case validDays = "valid_days"
        case graceDays = "grace_days"
        case tier, entitlements, period, unlimited
        case trialAmount = "trial_amount"
        case rolloverPercentage = "rollover_percentage"
        case rolloverCap = "rollover_cap"
        case subscriptionGroup = "subscription_group"
        case grantSource = "grant_source"
        case daysAhead = "days_ahead"
        case commitmentAmount = "commitment_amount"
    }

    /// Encodes every member, an absent one as `null`.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.kind, forKey: .kind)
        try container.encode(self.name, forKey: .name)
        try container.encode(self.description, forKey: .description)
        try container.encode(self.unit, forKey: .unit)
        try container.encode(self.amount, forKey: .amount)
        try container.encode(self.bonus, forKey: .bonus)
        try container.encode(self.price, forKey: .price)
        try container.encode(self.isActive, forKey: .isActive)
        try container.encode(self.isPopular, forKey: .isPopular)
        try container.encode(self.displayOrder, forKey: .displayOrder)
        try container.encode(self.storeIDs, forKey: .storeIDs)
        try container.encode(self.validDays, forKey: .validDays)
        try container.encode(self.graceDays, forKey: .graceDays)
        try container.encode(self.tier, forKey: .tier)
        try container.encode(self.entitlements, forKey: .entitlements)
        try container.encode(self.period, forKey: .period)
        try container.encode(self.unlimited, forKey: .unlimited)
        try container.encode(self.trialAmount, forKey: .trialAmount)
        try container.encode(self.rolloverPercentage, forKey: .rolloverPercentage)
        try container.encode(self.rolloverCap, forKey: .rolloverCap)
        try container.encode(self.subscriptionGroup, forKey: .subscriptionGroup)
        try container.encode(self.grantSource, forKey: .grantSource)
        try container.encode(self.daysAhead, forKey: .daysAhead)
        try container.encode(self.commitmentAmount, forKey: .commitmentAmount)
    }
}

/// A product of the catalogue.
public struct Product: Encodable, Sendable, Equatable {
    /// The catalogue's product id.
    public var productID: String
    /// The product's definition.
    public var definition: ProductDefinition

    /// Encodes the id together with the definition's members.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try self.definition.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.productID, forKey: .productID)
    }

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
    }
}
