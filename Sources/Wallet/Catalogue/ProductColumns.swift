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
        case graceDays = "grace_days"
        case trialAmount = "trial_amount"
        case rolloverPercentage = "rollover_percentage"
        case rolloverCap = "rollover_cap"
        case subscriptionGroup = "subscription_group"
        case grantSource = "grant_source"
        case daysAhead = "days_ahead"
        case commitmentAmount = "commitment_amount"
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
    }
}
