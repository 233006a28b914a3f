import Foundation
import Postgres

extension Wallet {
    /// Creates or changes a product for an operator, once per key; earlier sales keep their terms.
    ///
    /// SQL: `functions/catalogue/put_product.sql`, `views/catalogue/catalogue.sql`.
    ///
    /// - Parameters:
    ///   - id: The catalogue's product id.
    ///   - definition: The new definition; an omitted member gets the default of a new product.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key.
    /// - Returns: The product in its current state.
    /// - Throws: ``WalletError`` 403 `right-missing`, 409 `product-kind-fixed` or `store-id-taken`, 422
    ///   `idempotency-key-reused` or `not-acceptable`, 503 when the database does not answer.
    public func putProduct(
        _ id: String,
        _ definition: ProductDefinition,
        by actor: OperatorIdentity,
        key: String
    ) async throws -> Product {
        _ = try await self.query(
            """
            SELECT wallet.put_product(
                \(id), \(json: ProductColumns(definition: definition)), \(actor.id.rawValue), \(key),
                \(actor.right.rawValue)::wallet.operator_right
            )::text AS done
            """
        ) { _ in }
        let found = try await self.query("SELECT c.definition FROM wallet.catalogue AS c WHERE c.product_id = \(id)") {
            row in Product(productID: id, definition: try row.decodeJSON("definition"))
        }
        guard let product = found.first else { throw WalletError(status: 500, slug: "internal-error") }
        return product
    }
}
