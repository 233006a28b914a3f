import NIOHTTP1

extension GooglePlayAPI {
    /// The reasons with which a 400 means that the requested change was already made.
    private static let doneReasons: Set<String> = [
        "invalidPurchaseState", "alreadyAcknowledged", "productAlreadyAcknowledged", "alreadyConsumed",
    ]

    /// Acknowledges the delivery of a product; without it, the store refunds the purchase after three days.
    ///
    /// Repeating the call changes nothing.
    /// - Parameters:
    ///   - productID: The product.
    ///   - token: The purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the user no longer owns the purchase, `misconfigured`,
    ///   `unavailable`.
    public func acknowledge(productID: String, token: String) async throws(StoreError) {
        try await self.settle("\(try self.path("purchases/products", productID, "tokens", token)):acknowledge")
    }

    /// Consumes a product, so that the user may buy it again.
    ///
    /// This also acknowledges the purchase. Repeating the call changes nothing.
    /// - Parameters:
    ///   - productID: The product.
    ///   - token: The purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the user no longer owns the purchase, `misconfigured`,
    ///   `unavailable`.
    public func consume(productID: String, token: String) async throws(StoreError) {
        try await self.settle("\(try self.path("purchases/products", productID, "tokens", token)):consume")
    }

    /// Acknowledges the delivery of a subscription; without it, the store refunds the purchase after three days.
    ///
    /// Repeating the call changes nothing.
    /// - Parameters:
    ///   - productID: The subscription, with or without its base plan after a colon.
    ///   - token: The purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the user no longer owns the purchase, `misconfigured`,
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
