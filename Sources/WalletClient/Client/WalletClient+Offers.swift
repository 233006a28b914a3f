public import Foundation

extension WalletClient {
    private struct OfferingList: Decodable {
        let offerings: [Offering]
    }

    private struct SignatureBody: Encodable {
        let productID: String
        let offerID: String
        let appAccountToken: UUID?

        private enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case offerID = "offer_id"
            case appAccountToken = "app_account_token"
        }
    }

    /// Lists what is on sale, grouped as an app shows it.
    /// - Returns: packs, passes and plans, each with the reduced prices that some may get.
    /// - Throws: ``WalletProblem``.
    public func offers() async throws -> [Offering] {
        try await self.send(WalletCall(path: ["offers"]), as: OfferingList.self).0.offerings
    }

    /// Lets the wallet sign an App Store promotional offer for this user.
    ///
    /// A signature holds for one purchase within 24 hours; asking again gives another.
    /// - Parameters:
    ///   - productID: the plan.
    ///   - offerID: the offer as the App Store names it.
    ///   - appAccountToken: the account token with which the app will buy; nil if it sets none.
    /// - Returns: what StoreKit takes with the purchase.
    /// - Throws: ``WalletProblem``, such as `offer-not-found`, `not-eligible`, `account-token-mismatch`.
    public func offerSignature(
        productID: String,
        offerID: String,
        appAccountToken: UUID? = nil
    ) async throws -> OfferSignature {
        let wanted = SignatureBody(productID: productID, offerID: offerID, appAccountToken: appAccountToken)
        let call = WalletCall(method: "POST", path: ["offers", "signature"], body: try JSONEncoder().encode(wanted))
        return try await self.send(call, as: OfferSignature.self).0
    }
}
