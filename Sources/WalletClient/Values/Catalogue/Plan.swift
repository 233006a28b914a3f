/// A subscription tier that is on sale.
public struct Plan: Codable, Sendable, Hashable, Identifiable {
    /// The amount that a period or a trial grants.
    public struct Grant: Codable, Sendable, Hashable {
        /// `credit` or `visit`.
        public var unit: BalanceUnit
        /// The amount.
        public var amount: Int64

        /// Creates a value with the given properties, for previews and tests.
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
    /// A description to show, in a sentence.
    public var description: String
    /// The list price of one period.
    public var price: Money
    /// A Boolean value that indicates whether the app should feature the product.
    public var isPopular: Bool
    /// The product's position in the list.
    public var displayOrder: Int
    /// The plan's rank; the user's tier is the highest rank among active plans.
    public var tier: Int
    /// The entitlements that the plan grants.
    public var entitlements: [String]
    /// The length of a period, as an ISO 8601 duration such as `P1M`.
    public var period: String
    /// The amount that a period grants; nil for an unlimited plan.
    public var grants: Grant?
    /// A Boolean value that indicates whether the plan books without limit.
    public var isUnlimited: Bool
    /// The share of a period's unspent amount that moves into the next period, in percent.
    public var rolloverPercentage: Int
    /// The amount that a trial grants; nil if it grants nothing.
    public var trial: Grant?
    /// Its ids in the stores.
    public var storeIDs: StoreIDs

    /// The identity in a list, ``productID``.
    public var id: String { self.productID }

    /// Creates a value with the given properties, for previews and tests.
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
        isUnlimited: Bool,
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
        self.isUnlimited = isUnlimited
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
        case isUnlimited = "unlimited"
        case rolloverPercentage = "rollover_percentage"
        case trial
        case storeIDs = "store_ids"
    }
}
