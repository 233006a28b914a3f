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

    /// Lists the products on sale, grouped for display.
    /// - Returns: The offerings of packs, passes and plans; plans list their promotional offers.
    /// - Throws: ``WalletProblem``.
    public func offers() async throws -> [Offering] {
        try await self.send(WalletCall(path: ["offers"]), as: OfferingList.self).0.offerings
    }

    /// Returns the wallet's signature of an App Store promotional offer for this user.
    ///
    /// A signature is valid for one purchase within 24 hours; each call returns a new one.
    /// - Parameters:
    ///   - productID: The plan's product id.
    ///   - offerID: The offer's id in the App Store.
    ///   - appAccountToken: The account token that the app will set for the purchase; nil if it sets none.
    /// - Returns: The signature and the other values that StoreKit requires for the purchase.
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
