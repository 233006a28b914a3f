/// How much of a purchase was used: what the App Store asks for before it decides on a refund.
public struct ConsumptionInformation: Sendable, Equatable {
    /// The outcome that the operator prefers; the store decides.
    public enum RefundPreference: String, Codable, Hashable, Sendable {
        /// No refund.
        case decline = "DECLINE"
        /// A refund of everything.
        case grantFull = "GRANT_FULL"
        /// A refund of the unused share.
        case grantProrated = "GRANT_PRORATED"
    }

    /// Whether what was bought reached the customer.
    public enum DeliveryStatus: String, Codable, Hashable, Sendable {
        /// It was delivered and works.
        case delivered = "DELIVERED"
        /// It was not delivered, for a reason that the store has no name for.
        case undelivered = "UNDELIVERED_OTHER"
    }

    /// Whether what was bought reached the customer: it did if anything was granted.
    public let deliveryStatus: DeliveryStatus
    /// The spent share in thousandths of a percent, rounded down; nil for a subscription, whose share the store counts
    /// by time and does not let anyone else name.
    public let consumptionPercentage: Int?
    /// The preferred outcome, nil for none.
    public let refundPreference: RefundPreference?

    /// Creates the information from a purchase's lot.
    ///
    /// The store takes the wish for a prorated refund only where the spent share is neither nothing nor everything. At
    /// those ends the wish is said in the words that mean the same: full, or none.
    /// - Parameters:
    ///   - granted: what the purchase granted, 0 or more.
    ///   - spent: how much of it was spent; more than granted counts as all.
    ///   - kind: one-time purchase or a subscription's period.
    ///   - refundPreference: the preferred outcome, nil to leave it to the store.
    public init(
        granted: Int64,
        spent: Int64,
        kind: StoreFact.Kind,
        refundPreference: RefundPreference? = nil
    ) {
        let whole = max(granted, 0)
        let part = min(max(spent, 0), whole)
        let (high, low) = part.multipliedFullWidth(by: Self.everything)
        let share = whole == 0 ? 0 : Int(whole.dividingFullWidth((high, low)).quotient)
        self.deliveryStatus = whole > 0 ? .delivered : .undelivered
        self.consumptionPercentage = kind == .subscription ? nil : share
        self.refundPreference =
            switch (refundPreference, kind, share) {
            case (.grantProrated, .oneTime, 0): .grantFull
            case (.grantProrated, .oneTime, Int(Self.everything)): .decline
            default: refundPreference
            }
    }

    private static let everything: Int64 = 100_000
}

extension ConsumptionInformation: Encodable {
    private enum CodingKeys: String, CodingKey {
        case customerConsented
        case deliveryStatus
        case sampleContentProvided
        case consumptionPercentage
        case refundPreference
    }

    /// Encodes the body that the store takes.
    ///
    /// That the customer consented is said always: the store refuses the information otherwise, so an operator without
    /// consent must not send any.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: whatever the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(true, forKey: .customerConsented)
        try members.encode(self.deliveryStatus, forKey: .deliveryStatus)
        try members.encode(false, forKey: .sampleContentProvided)
        try members.encodeIfPresent(self.consumptionPercentage, forKey: .consumptionPercentage)
        try members.encodeIfPresent(self.refundPreference, forKey: .refundPreference)
    }
}
