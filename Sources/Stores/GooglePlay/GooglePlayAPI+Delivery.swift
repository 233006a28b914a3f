import NIOHTTP1

extension GooglePlayAPI {
    /// By these a 400 says that what we ask for is so already.
    private static let doneReasons: Set<String> = [
        "invalidPurchaseState", "alreadyAcknowledged", "productAlreadyAcknowledged", "alreadyConsumed",
    ]

    /// Reports to the store that a product was delivered; without that it is paid back after three days.
    ///
    /// Doing it again changes nothing.
    /// - Parameters:
    ///   - productID: the product.
    ///   - token: the purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` where the purchase is no longer the user's, `misconfigured`,
    ///   `unavailable`.
    public func acknowledge(productID: String, token: String) async throws(StoreError) {
        try await self.settle("\(try self.path("purchases/products", productID, "tokens", token)):acknowledge")
    }

    /// Reports to the store that a product was used up, so that it may be bought again.
    ///
    /// It acknowledges the purchase too. Doing it again changes nothing.
    /// - Parameters:
    ///   - productID: the product.
    ///   - token: the purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` where the purchase is no longer the user's, `misconfigured`,
    ///   `unavailable`.
    public func consume(productID: String, token: String) async throws(StoreError) {
        try await self.settle("\(try self.path("purchases/products", productID, "tokens", token)):consume")
    }

    /// Reports to the store that a subscription was delivered; without that it is paid back after three days.
    ///
    /// Doing it again changes nothing.
    /// - Parameters:
    ///   - productID: the subscription, with or without its base plan after a colon.
    ///   - token: the purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` where the purchase is no longer the user's, `misconfigured`,
    ///   `unavailable`.
    public func acknowledgeSubscription(productID: String, token: String) async throws(StoreError) {
        let subscriptionID = String(productID.prefix { $0 != ":" })
        let path = try self.path("purchases/subscriptions", subscriptionID, "tokens", token)
        try await self.settle("\(path):acknowledge")
    }

    private func settle(_ url: String) async throws(StoreError) {
        let answer = try await self.answer(.POST, url, for: .playDelivery)
        if (200..<300).contains(answer.status) { return }
        if answer.status == 400, !Self.reasons(in: answer).isDisjoint(with: Self.doneReasons) { return }
        throw self.error(of: answer)
    }
}
