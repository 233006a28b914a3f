public import Foundation

/// A group of what is on sale.
public struct Offering: Decodable, Sendable, Equatable {
    /// One thing on sale: a pack or pass, or a plan.
    public struct Package: Decodable, Sendable, Equatable {
        /// The catalogue's product id.
        public let packageID: String
        /// The pack or pass; nil for a plan.
        public let pack: Pack?
        /// The plan; nil for a pack or pass.
        public let plan: Plan?
        /// The reduced prices that some may get.
        public let promotionalOffers: [PromotionalOffer]

        private enum CodingKeys: String, CodingKey {
            case packageID = "package_id"
            case pack
            case plan
            case promotionalOffers = "promotional_offers"
        }
    }

    /// `packs`, `passes` or `plans`.
    public let offeringID: String
    /// What is in the group, in the order in which to show it.
    public let packages: [Package]

    private enum CodingKeys: String, CodingKey {
        case offeringID = "offering_id"
        case packages
    }
}

/// A reduced price for those who subscribe or once did.
public struct PromotionalOffer: Decodable, Sendable, Equatable {
    /// The plan that it is for.
    public let productID: String
    /// The offer as the App Store names it, which
    /// ``WalletClient/offerSignature(productID:offerID:appAccountToken:)`` takes.
    public let offerID: String
    /// The name to show.
    public let name: String
    /// Who may get it: `subscribed_before`, `active` or `lapsed`.
    public let eligibility: String

    private enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case offerID = "offer_id"
        case name
        case eligibility
    }
}

/// The proof with which StoreKit sells at a promotional offer's price.
public struct OfferSignature: Decodable, Sendable, Equatable {
    /// The id of the key that signed.
    public let keyID: String
    /// Makes the signature good for one use; StoreKit 1 wants it in lower case.
    public let nonce: UUID
    /// When it was signed, in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature in base64.
    public let signature: String

    private enum CodingKeys: String, CodingKey {
        case keyID = "key_id"
        case nonce
        case timestamp
        case signature
    }
}
