import Foundation

extension StoreFact {
    /// The product without the base plan that Google Play's subscriptions carry, by which products of one purchase are
    /// compared.
    var productLabel: String {
        guard self.store == .playStore else { return self.storeProductID }
        let label = self.storeProductID.prefix { $0 != ":" }
        return label.isEmpty ? self.storeProductID : String(label)
    }
}

extension [StoreFact] {
    /// Returns the facts with the products of their purchase listed in each, where one answer of a store has several
    /// products in it.
    ///
    /// - Parameter purchase: What the products of one purchase have in common; nil for a fact that is no such product.
    /// - Returns: The facts in their order.
    func listingProducts<Purchase: Hashable>(ofEach purchase: (StoreFact) -> Purchase?) -> [StoreFact] {
        var facts = self
        for (key, indices) in Dictionary(grouping: self.indices, by: { purchase(self[$0]) }) where key != nil {
            let products = indices.map { self[$0] }
            guard Set(products.map { ExactText($0.productLabel) }).count > 1 else { continue }
            for index in indices {
                facts[index].purchaseProducts = products.map(\.storeProductID)
            }
        }
        return facts
    }

    /// Returns the facts with the products listed in each that one answer of the App Store has for the same second of
    /// the same chain of transactions.
    ///
    /// - Returns: The facts in their order.
    public func listingProductsOfChains() -> [StoreFact] {
        self.listingProducts { fact in
            fact.originalTransactionID.map { [$0, String(fact.purchasedAt.timeIntervalSince1970.rounded(.down))] }
        }
    }
}
