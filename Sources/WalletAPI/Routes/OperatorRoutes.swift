import Hummingbird
import Wallet

/// Lets operators keep the catalogue of classes.
///
/// - `PUT /operator/classes/{id}` (operator)
struct OperatorRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/classes/:id", use: self.putClass)
    }

    @Sendable
    private func putClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        guard let id = context.parameters.classID() else {
            throw Problem.malformed("A class's id must be 1 to 64 of A-Z a-z 0-9 . _ : -")
        }
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKey()
        let definition = try await request.json(ClassDefinition.self).checked()
        let session = try await self.wallet.putClass(id, definition, by: context.actor, key: key, in: environment)
        return JSONAnswer(session)
    }
}
