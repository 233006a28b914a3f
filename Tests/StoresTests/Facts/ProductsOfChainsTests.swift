import Foundation
import Stores
import Testing

@Suite
struct ProductsOfChainsTests {
    private func fact(_ id: String, _ product: String, at second: Double, chain: String? = "o") -> StoreFact {
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: id,
            storeProductID: product,
            kind: .subscription,
            purchasedAt: Date(timeIntervalSince1970: 1_790_000_000 + second),
            source: .receipt,
            sourceAt: Date(timeIntervalSince1970: 1_790_000_100)
        )
        fact.originalTransactionID = chain
        return fact
    }

    @Test
    func `two transactions of one subscription in the same second list both products`() {
        let facts = [
            self.fact("1", "plan", at: 0.1), self.fact("2", "addon", at: 0.9), self.fact("3", "plan", at: 1.1),
            self.fact("4", "other", at: 0, chain: nil), self.fact("5", "plan", at: 0, chain: nil),
        ].listingProductsOfChains()
        #expect(facts.map(\.transactionID) == ["1", "2", "3", "4", "5"])
        #expect(facts.map(\.purchaseProducts) == [["plan", "addon"], ["plan", "addon"], nil, nil, nil])
    }

    @Test
    func `a restored transaction is the same product`() {
        let facts = [self.fact("1", "plan", at: 0), self.fact("2", "plan", at: 0)].listingProductsOfChains()
        #expect(facts.map(\.purchaseProducts) == [nil, nil])
    }

    @Test
    func `the list round-trips through the wallet`() throws {
        let fact = [self.fact("1", "plan", at: 0), self.fact("2", "addon", at: 0)].listingProductsOfChains()[0]
        let data = try JSONEncoder().encode(fact)
        #expect(String(decoding: data, as: UTF8.self).contains(#""purchase_products":["plan","addon"]"#))
        #expect(try JSONDecoder().decode(StoreFact.self, from: data) == fact)
    }
}
