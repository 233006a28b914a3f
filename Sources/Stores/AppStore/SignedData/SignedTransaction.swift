public import Foundation

/// A transaction of an accepted app, signed by the App Store.
public struct SignedTransaction: Hashable, Sendable {
    /// The content of the transaction.
    public let payload: JWSTransactionDecodedPayload
    /// The environment of the store; sandbox if an extra root signed the transaction.
    public let environment: StoreEnvironment

    /// Returns the fact of the transaction, as of the time at which the store signed it.
    ///
    /// A transaction without a revocation reports that nothing is refunded. One that an upgrade cut short reports
    /// nothing about refunds: the store itself repays the rest of that period.
    /// - Parameter source: The source of the transaction.
    /// - Returns: The fact; a purchase shared by a family member is marked as shared.
    /// - Throws: ``StoreError`` with `unreadable` if a member is missing or invalid, or if the product type or the
    ///   ownership is unknown.
    public func fact(source: StoreFact.Source) throws(StoreError) -> StoreFact {
        let payload = self.payload
        guard
            let transactionID = try Self.text(payload.transactionId),
            let productID = try Self.text(payload.productId),
            let purchasedAt = payload.purchaseDate,
            let signedAt = payload.signedDate
        else { throw StoreError(.unreadable) }
        var fact = StoreFact(
            store: .appStore,
            environment: self.environment,
            transactionID: transactionID,
            storeProductID: productID,
            kind: try self.kind(),
            quantity: try self.quantity(),
            ownership: try self.ownership(),
            purchasedAt: try purchasedAt.boughtBefore(signedAt),
            source: source,
            sourceAt: signedAt
        )
        fact.originalTransactionID = try Self.text(payload.originalTransactionId)
        fact.lineItemID = try Self.text(payload.webOrderLineItemId)
        fact.appTransactionID = try Self.text(payload.appTransactionId)
        fact.appAccountToken = StoreFact.accountToken(try Self.text(self.payload.appAccountToken))
        fact.occasion = .renewal
        if fact.kind == .subscription {
            guard let expiresAt = payload.expiresDate else { throw StoreError(.unreadable) }
            fact.expiresAt = expiresAt
            fact.periodType = self.periodType
            fact.commitment = try self.commitment()
        }
        fact.upgraded = payload.isUpgraded ?? false
        try self.addRevocation(to: &fact)
        return fact
    }

    /// Returns the refunded share of the price, in millionths.
    ///
    /// A revocation without a percentage means a full refund. The end of family sharing also revokes everything.
    func revokedMillionths() throws(StoreError) -> Int {
        switch self.payload.revocationType {
        case .refundFull, .familyRevoke: return 1_000_000
        default: break
        }
        guard let percentage = self.payload.revocationPercentage else { return 1_000_000 }
        guard (0...100_000).contains(percentage) else { throw StoreError(.unreadable) }
        return percentage * 10
    }

    private func addRevocation(to fact: inout StoreFact) throws(StoreError) {
        // Any member about a revocation proves one, even without its date.
        let isRevoked =
            self.payload.revocationReason != nil || self.payload.revocationType != nil
            || self.payload.revocationPercentage != nil
        guard let revokedAt = self.payload.revocationDate ?? (isRevoked ? fact.sourceAt : nil) else {
            fact.refundedMillionths = 0
            return
        }
        if self.payload.revocationType == .familyRevoke { fact.revoked = true }
        if fact.upgraded && fact.revoked == nil { return }
        fact.refundedMillionths = try self.revokedMillionths()
        fact.refundedAt = revokedAt
    }

    /// Returns the position in a commitment; throws if a period billed in parts omits it, since its credits would be
    /// granted in full.
    private func commitment() throws(StoreError) -> StoreFact.Commitment? {
        guard let info = self.payload.commitmentInfo else {
            guard self.payload.billingPlanType != "MONTHLY" || self.periodType == .trial else {
                throw StoreError(.unreadable)
            }
            return nil
        }
        guard let period = info.billingPeriodNumber, let periods = info.totalBillingPeriods else {
            throw StoreError(.unreadable)
        }
        guard let commitment = StoreFact.Commitment(period: period, of: periods) else { throw StoreError(.unreadable) }
        return commitment
    }

    private func kind() throws(StoreError) -> StoreFact.Kind {
        switch self.payload.type {
        case .autoRenewable: return .subscription
        case .consumable, .nonConsumable, .nonRenewing: return .oneTime
        default: throw StoreError(.unreadable)
        }
    }

    private func quantity() throws(StoreError) -> Int {
        let quantity = self.payload.quantity ?? 1
        // The database stores the quantity as a 32-bit integer.
        guard (1...Int(Int32.max)).contains(quantity) else { throw StoreError(.unreadable) }
        return quantity
    }

    private func ownership() throws(StoreError) -> StoreFact.Ownership {
        switch self.payload.inAppOwnershipType {
        case nil, .purchased: return .purchased
        case .familyShared: return .familyShared
        default: throw StoreError(.unreadable)
        }
    }

    private var periodType: StoreFact.PeriodType {
        if self.payload.offerDiscountType == .freeTrial { return .trial }
        switch self.payload.offerType {
        case .introductory:
            // Older data omits the discount type; a price of zero also means a free trial.
            return self.payload.offerDiscountType == nil && self.payload.price == 0 ? .trial : .intro
        case .promotional, .winBack: return .promotional
        default: return .normal
        }
    }

    /// Returns text without control characters and of at most 255 bytes; nil for absent or empty text.
    private static func text(_ text: String?) throws(StoreError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return try text.checked(atMost: 255)
    }
}

/// The payload of a signed transaction, with the App Store's own member names.
///
/// Members that the store omits are nil; unknown members and values are ignored. Only ``SignedTransaction`` proves that
/// the store signed the payload.
public struct JWSTransactionDecodedPayload: Decodable, Hashable, Sendable {
    /// The id of this transaction, new for every renewal.
    public var transactionId: String?
    /// The first transaction of the chain of renewals and restores.
    public var originalTransactionId: String?
    /// The id of the billing period, the same on every device.
    public var webOrderLineItemId: String?
    /// The bundle id of the app.
    public var bundleId: String?
    /// The product id.
    public var productId: String?
    /// The time at which this transaction was charged.
    public var purchaseDate: Date?
    /// The end of the subscription's period.
    public var expiresDate: Date?
    /// The number of items bought.
    public var quantity: Int?
    /// The kind of product.
    public var type: ProductType?
    /// The account token that the app set when buying.
    public var appAccountToken: String?
    /// The ownership: bought or shared.
    public var inAppOwnershipType: OwnershipType?
    /// The time at which the store signed the transaction.
    public var signedDate: Date?
    /// 1 for a problem with the app, 0 for any other reason.
    public var revocationReason: Int?
    /// The time at which the store refunded or revoked the transaction.
    public var revocationDate: Date?
    /// The kind of revocation.
    public var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent: 50,000 is half.
    public var revocationPercentage: Int?
    /// A Boolean value that indicates whether an upgrade cut the period short.
    public var isUpgraded: Bool?
    /// The kind of offer.
    public var offerType: OfferType?
    /// The discount of the offer.
    public var offerDiscountType: OfferDiscountType?
    /// The environment of the store.
    public var environment: AppStoreEnvironment?
    /// The price in thousandths of the currency's unit.
    public var price: Int64?
    /// The id of the customer's copy of the app.
    public var appTransactionId: String?
    /// BILLED_UPFRONT or MONTHLY.
    public var billingPlanType: String?
    /// The billing period within a longer commitment; nil for a subscription that is billed up front.
    public var commitmentInfo: CommitmentInfo?

    /// The position of a billing period in its commitment.
    public struct CommitmentInfo: Decodable, Hashable, Sendable {
        /// The number of the billing period, from 1.
        public var billingPeriodNumber: Int?
        /// The number of billing periods of the commitment.
        public var totalBillingPeriods: Int?
    }
}

extension JWSTransactionDecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.environment }
}

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
