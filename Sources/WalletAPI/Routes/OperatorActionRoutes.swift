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
        let name = context.parameters.get("action") ?? ""
        guard let action = ActionDescription.all.first(where: { $0.route == "actions/\(name)" }) else {
            throw Problem.routeNotFound
        }
        var change = try request.operatorChange(by: context.actor)
        // The key is stored as the audit row's reference.
        if let key = change.key, key.utf8.count > 200 {
            throw Problem.header("Idempotency-Key", "must be 1 to 200 visible ASCII characters, once", [key])
        }
        let body = try await request.json(OperatorAction.self)
        change.preview = try request.preview()
        let answer = try await self.wallet.act(action, body, change)
        return JSONAnswer(answer, headers: answer.replayed ? [.idempotentReplayed: "true"] : [:])
    }
}
