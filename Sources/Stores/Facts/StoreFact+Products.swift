import Foundation

extension StoreFact {
    /// The product id without the base plan of Google Play's subscriptions, for comparing the products of one purchase.
    var productLabel: String {
        guard self.store == .playStore else { return self.storeProductID }
        let label = self.storeProductID.prefix { $0 != ":" }
        return label.isEmpty ? self.storeProductID : String(label)
    }
}

extension [StoreFact] {
    /// Returns the facts; if one purchase has several products, each of its facts lists all of them.
    ///
    /// - Parameter purchase: Returns the key of a fact's purchase; nil for a fact to leave unchanged.
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

    /// Returns the facts; each fact lists all products that the App Store's answer contains for the same second of the
    /// same chain of transactions.
    ///
    /// - Returns: The facts in their order.
    public func listingProductsOfChains() -> [StoreFact] {
        self.listingProducts { fact in
            fact.originalTransactionID.map { [$0, String(fact.purchasedAt.timeIntervalSince1970.rounded(.down))] }
        }
    }
}
