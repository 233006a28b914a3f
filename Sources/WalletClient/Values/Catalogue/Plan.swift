/// A subscription tier that is on sale.
public struct Plan: Codable, Sendable, Hashable, Identifiable {
    /// What a period or a trial grants.
    public struct Grant: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// How much.
        public var amount: Int64

        /// Creates a value of the given properties, for previews and tests.
        public init(
            unit: BalanceUnit,
            amount: Int64
        ) {
            self.unit = unit
            self.amount = amount
        }
    }

    /// The catalogue's product id.
    public var productID: String
    /// The name to show.
    public var name: String
    /// What it is, in a sentence.
    public var description: String
    /// The list price of one period.
    public var price: Money
    /// Whether to point it out.
    public var isPopular: Bool
    /// Its place in the list.
    public var displayOrder: Int
    /// Its rank; the highest live one is the user's.
    public var tier: Int
    /// The entitlements that it opens.
    public var entitlements: [String]
    /// The length of a period, as an ISO 8601 duration such as `P1M`.
    public var period: String
    /// What a period grants; nil for an unlimited plan.
    public var grants: Grant?
    /// Whether it books without limit.
    public var unlimited: Bool
    /// How much of what a period left unspent moves into the next, in percent.
    public var rolloverPercentage: Int
    /// What a trial grants, if anything.
    public var trial: Grant?
    /// Its ids in the stores.
    public var storeIDs: StoreIDs

    /// The identity in a list, ``productID``.
    public var id: String { self.productID }

    /// Creates a value of the given properties, for previews and tests.
    public init(
        productID: String,
        name: String,
        description: String,
        price: Money,
        isPopular: Bool,
        displayOrder: Int,
        tier: Int,
        entitlements: [String] = [],
        period: String,
        grants: Grant? = nil,
        unlimited: Bool,
        rolloverPercentage: Int,
        trial: Grant? = nil,
        storeIDs: StoreIDs
    ) {
        self.productID = productID
        self.name = name
        self.description = description
        self.price = price
        self.isPopular = isPopular
        self.displayOrder = displayOrder
        self.tier = tier
        self.entitlements = entitlements
        self.period = period
        self.grants = grants
        self.unlimited = unlimited
        self.rolloverPercentage = rolloverPercentage
        self.trial = trial
        self.storeIDs = storeIDs
    }

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
