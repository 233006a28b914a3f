public import Foundation

extension WalletClient {
    private struct PackList: Decodable {
        let packs: [Pack]
    }

    private struct PlanList: Decodable {
        let plans: [Plan]
    }

    private struct ClassPage: Decodable {
        let classes: [ClassSession]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case classes
            case nextCursor = "next_cursor"
        }
    }

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

    /// Lists the packs and passes on sale; no token is required.
    /// - Returns: The packs in display order.
    /// - Throws: ``WalletProblem``.
    public func packs() async throws -> [Pack] {
        try await self.send(WalletCall(path: ["packs"], isPublic: true), as: PackList.self).0.packs
    }

    /// Lists the subscription tiers on sale; no token is required.
    /// - Returns: The plans in display order.
    /// - Throws: ``WalletProblem``.
    public func plans() async throws -> [Plan] {
        try await self.send(WalletCall(path: ["plans"], isPublic: true), as: PlanList.self).0.plans
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

    /// Lists classes; no token is required.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of classes; nil for the wallet's default.
    /// - Returns: A page of classes, with the seats of the client's environment.
    /// - Throws: ``WalletProblem``.
    public func classes(cursor: String? = nil, limit: Int? = nil) async throws -> Page<ClassSession> {
        let call = WalletCall(
            path: ["classes"],
            query: [("cursor", cursor), ("limit", limit.map(String.init))],
            isPublic: true
        )
        let page = try await self.send(call, as: ClassPage.self).0
        return Page(items: page.classes, nextCursor: page.nextCursor)
    }

    /// Reads one class; no token is required.
    /// - Parameter id: The class's id.
    /// - Returns: The class, with the seats of the client's environment.
    /// - Throws: ``WalletProblem``, such as `class-not-found`.
    public func classSession(_ id: String) async throws -> ClassSession {
        try await self.send(WalletCall(path: ["classes", id], isPublic: true), as: ClassSession.self).0
    }
}
