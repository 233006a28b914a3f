import Foundation
import Postgres

extension Wallet {
    /// Creates or changes a product for an operator, once per key; earlier sales keep their terms.
    ///
    /// SQL: `functions/catalogue/put_product.sql`, `views/catalogue/catalogue.sql`.
    ///
    /// - Parameters:
    ///   - id: The catalogue's product id.
    ///   - definition: The new definition; an omitted member gets the default of a new product.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    /// - Returns: The product in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 409 `product-kind-fixed` or `store-id-taken`, 422
    ///   `idempotency-key-reused` or `invalid-values`, 503 when the database does not answer.
    public func putProduct(
        _ id: String,
        _ definition: ProductDefinition,
        by actor: OperatorIdentity,
        key: String
    ) async throws -> Product {
        try await self.execute(
            """
            SELECT wallet.put_product(
                \(id), \(json: ProductColumns(definition: definition)), \(actor.id.rawValue), \(key),
                \(actor.right.rawValue)::wallet.operator_right
            )::text AS done
            """
        )
        return try await self.queryOne("SELECT c.definition FROM wallet.catalogue AS c WHERE c.product_id = \(id)") {
            row in Product(productID: id, definition: try row.decodeJSON("definition"))
        }
    }
}

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
    /// The number of days after the purchase or the first use for which a pass is valid; `nil` for no expiry.
    public var validDays: Int?
    /// The number of days after the purchase within which the first use of a pass starts its validity; `nil` if the
    /// purchase starts it.
    public var startsWithinDays: Int?
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
    /// The number of days in a year for which a pass or the visits of a plan may be frozen; `nil` for none.
    public var freezeDays: Int?
    /// The number of days of the shortest freeze; `nil` for one day.
    public var freezeMinimumDays: Int?
    /// The further lots that one purchase of a bundle grants; `nil` or empty for none.
    public var bundleItems: [BundleItem]?

    enum CodingKeys: String, CodingKey {
        case kind, name, description, unit, amount, bonus, price
        case isActive = "is_active"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case storeIDs = "store_ids"
        case validDays = "valid_days"
        case startsWithinDays = "starts_within_days"
        case graceDays = "grace_days"
        case tier, entitlements, period, unlimited
        case trialAmount = "trial_amount"
        case rolloverPercentage = "rollover_percentage"
        case rolloverCap = "rollover_cap"
        case subscriptionGroup = "subscription_group"
        case grantSource = "grant_source"
        case daysAhead = "days_ahead"
        case commitmentAmount = "commitment_amount"
        case freezeDays = "freeze_days"
        case freezeMinimumDays = "freeze_minimum_days"
        case bundleItems = "bundle_items"
    }

    /// Encodes every member, an absent one as `null`.
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
        try container.encode(self.startsWithinDays, forKey: .startsWithinDays)
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
        try container.encode(self.freezeDays, forKey: .freezeDays)
        try container.encode(self.freezeMinimumDays, forKey: .freezeMinimumDays)
        try container.encode(self.bundleItems ?? [], forKey: .bundleItems)
    }
}

/// A further lot that one purchase of a bundle grants.
public struct BundleItem: Codable, Sendable, Equatable {
    /// The unit of the lot: credits become a lot like that of a pack, visits one like that of a pass.
    public var unit: CreditUnit
    /// The granted amount.
    public var amount: Int64
    /// The number of days after the purchase or the first use for which visits are valid; `nil` for no expiry.
    @Nullable public var validDays: Int?
    /// The number of days after the purchase within which the first use starts the validity; `nil` if the purchase
    /// starts it.
    @Nullable public var startsWithinDays: Int?

    enum CodingKeys: String, CodingKey {
        case unit, amount
        case validDays = "valid_days"
        case startsWithinDays = "starts_within_days"
    }
}

extension ProductDefinition {
    /// Refuses members of the correct type whose values no product can have.
    ///
    /// - Returns: The definition.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked() throws -> ProductDefinition {
        try OperatorText.check(self.name, "name", upTo: 200)
        guard self.kind == .plan || self.unit == (self.kind == .pack ? .credit : .visit) else {
            throw WalletError.member(
                "unit",
                "must be credit for a pack and visit for a pass",
                Received(self.unit.rawValue)
            )
        }
        try self.checkTexts()
        try self.checkPrice()
        try self.checkNumbers()
        guard (self.amount ?? 0) > 0 || (self.kind == .plan && self.unlimited == true) else {
            throw WalletError.member(
                "amount",
                "must be more than 0 unless a plan is unlimited",
                self.amount.map { Received($0) }
            )
        }
        guard self.kind == .plan ? self.hasPeriod : self.period == nil else {
            throw WalletError.member(
                "period",
                "must be a period such as P1W, P1M or P1Y for a plan, and absent for other products",
                self.period.map { Received($0) }
            )
        }
        guard self.kind == .plan || (self.unlimited != true && self.daysAhead == nil) else {
            throw WalletError.malformed("Only plans accept the members \"unlimited\" and \"days_ahead\".")
        }
        guard self.commitmentAmount == nil || (self.kind == .plan && self.unlimited != true) else {
            throw WalletError.member("commitment_amount", "is allowed only for plans that are not unlimited")
        }
        guard self.kind != .pack || self.freezeDays == nil else {
            throw WalletError.member("freeze_days", "must be absent for packs, because bought credits never expire")
        }
        guard self.freezeMinimumDays == nil || (self.freezeMinimumDays ?? 0) <= (self.freezeDays ?? 0) else {
            throw WalletError.member("freeze_minimum_days", "must be at most freeze_days")
        }
        guard self.kind != .pack || self.validDays == nil else {
            throw WalletError.member("valid_days", "must be absent for packs, because bought credits never expire")
        }
        guard self.startsWithinDays == nil || (self.kind == .pass && self.validDays != nil) else {
            throw WalletError.member("starts_within_days", "is allowed only for passes with valid_days")
        }
        try self.checkBundle()
        guard ["purchase", "virtual_currency"].contains(self.grantSource ?? "purchase") else {
            throw WalletError.member(
                "grant_source",
                "must be purchase or virtual_currency",
                self.grantSource.map { Received($0) }
            )
        }
        return self
    }

    private func checkBundle() throws {
        let items = self.bundleItems ?? []
        guard items.isEmpty || (self.kind != .plan && self.grantSource ?? "purchase" == "purchase") else {
            throw WalletError.member("bundle_items", "must be absent for plans and for amounts that the store reports")
        }
        guard items.count <= 10 else {
            throw WalletError.member("bundle_items", "must have at most 10 items; received \(items.count)")
        }
        for item in items {
            try OperatorNumber.check(item.amount, "bundle_items.amount", 1...1_000_000)
            guard item.unit == .visit || item.validDays == nil else {
                throw WalletError.member(
                    "bundle_items.valid_days",
                    "must be absent for credits, because bought credits never expire"
                )
            }
            guard item.validDays != nil || item.startsWithinDays == nil else {
                throw WalletError.member("bundle_items.starts_within_days", "is allowed only for items with valid_days")
            }
            try OperatorNumber.check(item.validDays, "bundle_items.valid_days", 1...3_660)
            try OperatorNumber.check(item.startsWithinDays, "bundle_items.starts_within_days", 1...3_660)
        }
    }

    private func checkTexts() throws {
        guard (self.description ?? "").unicodeScalars.count <= 2_000 else {
            throw WalletError.member(
                "description",
                "must have at most 2000 characters",
                self.description.map { Received($0) }
            )
        }
        guard (self.entitlements ?? []).count <= 100 else {
            throw WalletError.member(
                "entitlements",
                "must have at most 100 names; received \(self.entitlements?.count ?? 0)"
            )
        }
        for entitlement in self.entitlements ?? [] { try OperatorText.check(entitlement, "entitlements", upTo: 100) }
        if let group = self.subscriptionGroup { try OperatorText.check(group, "subscription_group", upTo: 100) }
        let ids = [
            ("app_store", self.storeIDs?.appStore), ("play_store", self.storeIDs?.playStore),
            ("revenuecat", self.storeIDs?.revenueCat),
        ]
        for (store, id) in ids {
            guard let id, !TransactionID.isValid(id) else { continue }
            throw WalletError.member("store_ids.\(store)", "must be 1 to 255 visible ASCII characters", Received(id))
        }
    }

    private func checkPrice() throws {
        let amount = self.price.amount
        guard amount >= 0, amount <= 1_000_000, Decimal(self.price.minorAmount) == amount * 100 else {
            throw WalletError.member("price.amount", "must be 0 to 1000000 with at most two decimals", Received(amount))
        }
        guard self.price.currency.wholeMatch(of: /[A-Z]{3}/) != nil else {
            throw WalletError.member(
                "price.currency",
                "must be three capital letters",
                Received(self.price.currency)
            )
        }
    }

    private func checkNumbers() throws {
        try OperatorNumber.check(self.amount, "amount", 0...1_000_000)
        try OperatorNumber.check(self.bonus, "bonus", 0...1_000_000)
        try OperatorNumber.check(self.trialAmount, "trial_amount", 0...1_000_000)
        try OperatorNumber.check(self.displayOrder, "display_order", -1_000_000...1_000_000)
        try OperatorNumber.check(self.validDays, "valid_days", 1...3_660)
        try OperatorNumber.check(self.startsWithinDays, "starts_within_days", 1...3_660)
        try OperatorNumber.check(self.graceDays, "grace_days", 0...366)
        try OperatorNumber.check(self.tier, "tier", 0...1_000_000)
        try OperatorNumber.check(self.rolloverPercentage, "rollover_percentage", 0...100)
        try OperatorNumber.check(self.rolloverCap, "rollover_cap", 0...1_000_000)
        try OperatorNumber.check(self.daysAhead, "days_ahead", 0...3_660)
        try OperatorNumber.check(self.commitmentAmount, "commitment_amount", 1...1_000_000)
        try OperatorNumber.check(self.freezeDays, "freeze_days", 1...365)
        try OperatorNumber.check(self.freezeMinimumDays, "freeze_minimum_days", 1...365)
    }

    private var hasPeriod: Bool {
        self.period?.wholeMatch(of: /P[1-9][0-9]{0,2}[DWMY]/) != nil
    }
}

/// A product of the catalogue.
public struct Product: Encodable, Sendable, Equatable {
    /// The catalogue's product id.
    public var productID: String
    /// The product's definition.
    public var definition: ProductDefinition

    /// Encodes the id together with the definition's members.
    public func encode(to encoder: any Encoder) throws {
        try self.definition.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.productID, forKey: .productID)
    }

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
    }
}

/// A product in the columns of `admin.products`.
struct ProductColumns: Encodable {
    let definition: ProductDefinition

    private enum CodingKeys: String, CodingKey {
        case kind, name, description, unit, amount, bonus, currency, tier, entitlements, period, unlimited
        case priceMinor = "price_minor"
        case isActive = "is_active"
        case isPopular = "is_popular"
        case displayOrder = "display_order"
        case appStoreID = "app_store_id"
        case playStoreID = "play_store_id"
        case revenueCatID = "revenuecat_id"
        case validDays = "valid_days"
        case startsWithinDays = "starts_within_days"
        case bundleItems = "bundle_items"
        case graceDays = "grace_days"
        case trialAmount = "trial_amount"
        case rolloverPercentage = "rollover_percentage"
        case rolloverCap = "rollover_cap"
        case subscriptionGroup = "subscription_group"
        case grantSource = "grant_source"
        case daysAhead = "days_ahead"
        case commitmentAmount = "commitment_amount"
        case freezeDays = "freeze_days"
        case freezeMinimumDays = "freeze_minimum_days"
    }

    func encode(to encoder: any Encoder) throws {
        let definition = self.definition
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(definition.kind, forKey: .kind)
        try container.encode(definition.name, forKey: .name)
        try container.encodeIfPresent(definition.description, forKey: .description)
        try container.encode(definition.unit, forKey: .unit)
        try container.encodeIfPresent(definition.amount, forKey: .amount)
        try container.encodeIfPresent(definition.bonus, forKey: .bonus)
        try container.encode(definition.price.minorAmount, forKey: .priceMinor)
        try container.encode(definition.price.currency, forKey: .currency)
        try container.encodeIfPresent(definition.isActive, forKey: .isActive)
        try container.encodeIfPresent(definition.isPopular, forKey: .isPopular)
        try container.encodeIfPresent(definition.displayOrder, forKey: .displayOrder)
        try container.encodeIfPresent(definition.storeIDs?.appStore, forKey: .appStoreID)
        try container.encodeIfPresent(definition.storeIDs?.playStore, forKey: .playStoreID)
        try container.encodeIfPresent(definition.storeIDs?.revenueCat, forKey: .revenueCatID)
        try container.encodeIfPresent(definition.validDays, forKey: .validDays)
        try container.encodeIfPresent(definition.startsWithinDays, forKey: .startsWithinDays)
        try container.encodeIfPresent(definition.bundleItems, forKey: .bundleItems)
        try container.encodeIfPresent(definition.graceDays, forKey: .graceDays)
        try container.encodeIfPresent(definition.tier, forKey: .tier)
        try container.encodeIfPresent(definition.entitlements, forKey: .entitlements)
        try container.encodeIfPresent(definition.period, forKey: .period)
        try container.encodeIfPresent(definition.unlimited, forKey: .unlimited)
        try container.encodeIfPresent(definition.trialAmount, forKey: .trialAmount)
        try container.encodeIfPresent(definition.rolloverPercentage, forKey: .rolloverPercentage)
        try container.encodeIfPresent(definition.rolloverCap, forKey: .rolloverCap)
        try container.encodeIfPresent(definition.subscriptionGroup, forKey: .subscriptionGroup)
        try container.encodeIfPresent(definition.grantSource, forKey: .grantSource)
        try container.encodeIfPresent(definition.daysAhead, forKey: .daysAhead)
        try container.encodeIfPresent(definition.commitmentAmount, forKey: .commitmentAmount)
        try container.encodeIfPresent(definition.freezeDays, forKey: .freezeDays)
        try container.encodeIfPresent(definition.freezeMinimumDays, forKey: .freezeMinimumDays)
    }
}
