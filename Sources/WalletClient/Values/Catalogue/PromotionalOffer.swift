/// A reduced price of a plan for current or former subscribers.
public struct PromotionalOffer: Codable, Sendable, Hashable, Identifiable {
    /// The plan's product id.
    public var productID: String
    /// The offer's id in the App Store, for ``WalletProtocol/offerSignature(productID:offerID:appAccountToken:)``.
    public var offerID: String
    /// The name to show.
    public var name: String
    /// The users who are eligible: `subscribed_before`, `active` or `lapsed`.
    public var eligibility: OfferEligibility

    /// The identity in a list, ``offerID``.
    public var id: String { self.offerID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        productID: String,
        offerID: String,
        name: String,
        eligibility: OfferEligibility
    ) {
        self.productID = productID
        self.offerID = offerID
        self.name = name
        self.eligibility = eligibility
    }

    private enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case offerID = "offer_id"
        case name
        case eligibility
    }
}
