extension JWSTransactionDecodedPayload {
    /// The sort of product; values that this build does not know survive decoding.
    public struct ProductType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: the value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A subscription that renews by itself.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Bought once and kept.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Bought and used up.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// A span of time that does not renew.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
    }

    /// How a person came by a purchase; values that this build does not know survive decoding.
    public struct OwnershipType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: the value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Paid for by that person.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// Shared by a family member.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    }

    /// How the store took a transaction away; values that this build does not know survive decoding.
    public struct RevocationType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: the value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All of the price was given back.
        public static let refundFull = RevocationType(rawValue: "REFUND_FULL")
        /// A share of the price was given back.
        public static let refundProrated = RevocationType(rawValue: "REFUND_PRORATED")
        /// Family sharing ended; no money moved.
        public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    }

    /// The sort of offer; values that this build does not know survive decoding.
    public struct OfferType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: Int

        /// Creates a value.
        /// - Parameter rawValue: the value as the store writes it.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// For new subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// For whom the app chooses.
        public static let promotional = OfferType(rawValue: 2)
        /// For who left.
        public static let winBack = OfferType(rawValue: 4)
    }

    /// How an offer is paid; values that this build does not know survive decoding.
    public struct OfferDiscountType: RawRepresentable, Decodable, Hashable, Sendable {
        /// The value as the store writes it.
        public let rawValue: String

        /// Creates a value.
        /// - Parameter rawValue: the value as the store writes it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing is paid.
        public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
        /// A lower price for each period.
        public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    }
}
