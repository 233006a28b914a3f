/// What an operator says of a product; what is left out is as for a new product.
public struct ProductDefinition: Codable, Sendable, Equatable {
    /// What kind of thing is sold.
    public enum Kind: String, Codable, Sendable, NamedValue {
        /// Credits that never expire.
        case pack
        /// Visits that may expire.
        case pass
        /// A subscription.
        case plan
    }

    /// A pack, a pass or a plan; never changes.
    public var kind: Kind
    /// The name to show, 1 to 200 characters.
    public var name: String
    /// What it is, in a sentence.
    public var description: String?
    /// What it grants; never changes.
    public var unit: CreditUnit
    /// How much one purchase or period grants, without the bonus.
    public var amount: Int64?
    /// How much it grants on top.
    public var bonus: Int64?
    /// The list price.
    public var price: Money
    /// Whether it is on sale; true unless said.
    public var isActive: Bool?
    /// Whether to point it out.
    public var isPopular: Bool?
    /// Its place in the list.
    public var displayOrder: Int?
    /// Its ids in the stores.
    public var storeIDs: StoreIDs?
    /// For how many days after the purchase a pass is valid; nil for always.
    public var validDays: Int?
    /// For how many days a lot is opened again when the studio cancels; 7 unless said.
    public var graceDays: Int?
    /// A plan's rank.
    public var tier: Int?
    /// What a plan opens.
    public var entitlements: [String]?
    /// The length of a plan's period, such as `P1M`.
    public var period: String?
    /// Whether a plan books without limit.
    public var unlimited: Bool?
    /// What a plan's trial grants.
    public var trialAmount: Int64?
    /// How much of what a period left unspent moves into the next, in percent.
    public var rolloverPercentage: Int?
    /// How much moves at most; nil for all of it.
    public var rolloverCap: Int64?
    /// Plans of one group replace one another.
    public var subscriptionGroup: String?
    /// What grants it: `purchase`, or `virtual_currency` where the store itself says how much.
    public var grantSource: String?
    /// How many days ahead a plan's holders book; nil for no limit.
    public var daysAhead: Int?
    /// What a commitment that is billed monthly grants over all of its months; nil for `amount` and `bonus`.
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

    /// Writes every member, an absent one as `null`.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
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

/// A product as the catalogue has it.
public struct Product: Encodable, Sendable, Equatable {
    /// The catalogue's product id.
    public var productID: String
    /// What it is.
    public var definition: ProductDefinition

    /// Writes the id beside the definition's members.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try self.definition.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.productID, forKey: .productID)
    }

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
    }
}
