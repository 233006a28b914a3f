import HTTPTypes
import Hummingbird
import Wallet

/// Runs operator actions, from bookings to the catalogue; each action writes one row to the audit log.
///
/// - `POST /operator/actions/{action}` (operator), with `?dry_run=true` to preview the changes and `?preview=` to apply
///   exactly the previewed changes
/// - `PUT /operator/users/{id}/profile` (operator), the action `put-profile` with the user in the path
struct OperatorActionRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/actions/:action", use: self.act)
        group.put("operator/users/:id/profile", use: self.putProfile)
    }

    @Sendable
    private func act(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<OperatorActionResult> {
        let name = context.parameters.get("action") ?? ""
        guard let action = ActionDescription.all.first(where: { $0.route == "actions/\(name)" }) else {
            throw Problem.routeNotFound
        }
        return try await self.perform(action, request, context) { _ in }
    }

    @Sendable
    private func putProfile(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<OperatorActionResult> {
        let user = try ParameterText.identifying(context.parameters.decoded("id"), "id")
        return try await self.perform(.profile, request, context) { $0.target.set(user: user) }
    }

    private func perform(
        _ action: ActionDescription,
        _ request: Request,
        _ context: OperatorRequestContext,
        _ complete: (inout OperatorAction) -> Void
    ) async throws -> JSONAnswer<OperatorActionResult> {
        var change = try request.operatorChange(by: context.actor)
        // The key is stored as the audit row's reference.
        if let key = change.key, key.utf8.count > 200 {
            throw Problem.header("Idempotency-Key", "must be 1 to 200 visible ASCII characters, once", [key])
        }
        var body = try await request.json(OperatorAction.self)
        complete(&body)
        change.preview = try request.preview()
        let answer = try await self.wallet.act(action, body, change)
        return JSONAnswer(answer, headers: answer.replayed ? [.idempotentReplayed: "true"] : [:])
    }
}
