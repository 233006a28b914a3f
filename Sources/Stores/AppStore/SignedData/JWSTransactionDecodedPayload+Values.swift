extension JWSTransactionDecodedPayload {
    /// The kind of product; unknown values survive decoding.
    public struct ProductType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: The value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A subscription that renews automatically.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// A product that is bought once and kept.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A product that is consumed and can be bought again.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// A subscription for a fixed time that does not renew.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
    }

    /// The ownership of a purchase; unknown values survive decoding.
    public struct OwnershipType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: The value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer paid for it.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A family member shared it.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    }

    /// The kind of revocation; unknown values survive decoding.
    public struct RevocationType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: The value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The full price was refunded.
        public static let refundFull = RevocationType(rawValue: "REFUND_FULL")
        /// A share of the price was refunded.
        public static let refundProrated = RevocationType(rawValue: "REFUND_PRORATED")
        /// Family sharing ended; no money was refunded.
        public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    }

    /// The kind of offer; unknown values survive decoding.
    public struct OfferType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: Int

        /// Creates a value.
        /// - Parameter rawValue: The value as the store writes it.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// For new subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// For customers whom the app selects.
        public static let promotional = OfferType(rawValue: 2)
        /// For former subscribers.
        public static let winBack = OfferType(rawValue: 4)
    }

    /// The discount of an offer; unknown values survive decoding.
    public struct OfferDiscountType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: The value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The offer is free.
        public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
        /// A reduced price for each period.
        public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    }
}
