import Hummingbird
import Wallet

/// Creates and changes the products of the catalogue for operators.
///
/// - `PUT /operator/products/{id}` (operator)
struct ProductRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/products/:id", use: self.putProduct)
    }

    @Sendable
    private func putProduct(_ request: Request, _ context: OperatorRequestContext) async throws -> JSONAnswer<Product> {
        let id = try context.parameters.productID()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ProductDefinition.self).checked()
        return JSONAnswer(try await self.wallet.putProduct(id, definition, by: context.actor, key: key))
    }
}
