import Postgres

extension Wallet {
    /// Lists the promotional offers of plans on sale.
    ///
    /// SQL: `views/catalogue/promotional_offers.sql`.
    ///
    /// - Returns: The offers, by product.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func promotionalOffers() async throws -> [PromotionalOffer] {
        try await self.read("SELECT o.* FROM wallet.promotional_offers AS o ORDER BY o.product_id, o.offer_id") {
            row in
            PromotionalOffer(
                productID: try row.decode("product_id"),
                offerID: try row.decode("offer_id"),
                name: try row.decode("name"),
                eligibility: try row.decode("eligibility")
            )
        }
    }

    /// Returns the reason why a user may not get a promotional offer.
    ///
    /// SQL: `functions/catalogue/offer_eligibility.sql`.
    ///
    /// - Parameters:
    ///   - offerID: The offer.
    ///   - productID: The product's id in the catalogue or in the App Store.
    ///   - user: The user who wants the offer.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: `offer-not-found` or `not-eligible`; `nil` if the user may get the offer.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func offerRefusal(
        _ offerID: String,
        of productID: String,
        for user: UserID,
        in environment: WalletEnvironment
    ) async throws -> String? {
        let refusals = try await self.query(
            """
            SELECT wallet.offer_eligibility(
                \(user.rawValue), \(environment.rawValue)::wallet.environment, \(productID), \(offerID)
            ) AS refusal
            """
        ) { row in try row.decode("refusal", as: String?.self) }
        return refusals.first.flatMap { $0 }
    }
}

/// A reduced price for current and former subscribers.
public struct PromotionalOffer: Encodable, Sendable, Equatable {
    /// The plan that the offer is for.
    public var productID: String
    /// The offer's id in the App Store.
    public var offerID: String
    /// The name to show.
    public var name: String
    /// The users who may get the offer: `subscribed_before`, `active` or `lapsed`.
    public var eligibility: String

    enum CodingKeys: String, CodingKey {
        case productID = "product_id"
        case offerID = "offer_id"
        case name, eligibility
    }
}
