import HTTPTypes
import Hummingbird
import Wallet

/// Runs operator actions, from bookings to the catalogue; each action writes one row to the audit log.
///
/// - `POST /operator/actions/{action}` (operator), with `?dry_run=true` to preview the changes and `?preview=` to apply
///   exactly the previewed changes
struct OperatorActionRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/actions/:action", use: self.act)
    }

    @Sendable
    private func act(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<OperatorActionAnswer> {
        guard let name = context.parameters.get("action").flatMap(OperatorAction.Name.init) else {
            throw Problem.routeNotFound
        }
        let dryRun = try request.isDryRun()
        let environment = try request.walletEnvironment()
        let key = dryRun ? try request.idempotencyKeyIfSent() : try request.idempotencyKey()
        // The key is stored as the audit row's reference.
        if let key, key.utf8.count > 200 {
            throw Problem.header("Idempotency-Key", "must be 1 to 200 visible ASCII characters, once", [key])
        }
        let action = try await request.json(OperatorAction.self).checked(for: name, in: environment)
        let answer = try await self.wallet.act(
            name,
            action,
            by: context.actor,
            key: key,
            in: environment,
            dryRun: dryRun,
            shown: try request.preview()
        )
        return JSONAnswer(answer, headers: answer.replayed ? [.idempotentReplayed: "true"] : [:])
    }
}
