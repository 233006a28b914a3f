/// A reduced price for those who subscribe or once did.
public struct PromotionalOffer: Codable, Sendable, Hashable, Identifiable {
    /// The plan that it is for.
    public var productID: String
    /// The offer as the App Store names it, which
    /// ``WalletProtocol/offerSignature(productID:offerID:appAccountToken:)`` takes.
    public var offerID: String
    /// The name to show.
    public var name: String
    /// Who may get it: `subscribed_before`, `active` or `lapsed`.
    public var eligibility: OfferEligibility

    /// The identity in a list, ``offerID``.
    public var id: String { self.offerID }

    /// Creates a value of the given properties, for previews and tests.
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
