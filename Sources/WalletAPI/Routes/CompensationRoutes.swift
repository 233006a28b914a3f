import HTTPTypes
import Hummingbird
import Wallet

/// Compensates many users for operators.
///
/// - `POST /operator/actions/compensate-class` and `POST /operator/actions/compensate-users` (operator), with
///   `?dry_run=true` to preview the result and `?preview=` to compensate exactly the previewed users
struct CompensationRoutes {
    let wallet: Wallet
    let limits: OperatorLimits

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        for action in ActionDescription.all where action.isCompensation {
            group.post("operator/\(action.route)") { request, context in
                try await self.compensate(action, request, context)
            }
        }
    }

    private func compensate(
        _ action: ActionDescription,
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<CompensationResult> {
        var change = try request.operatorChange(by: context.actor)
        let compensation = try await request.json(Compensation.self)
        change.preview = try request.preview()
        return JSONAnswer(try await self.wallet.compensate(compensation, action, change, limits: self.limits))
    }
}
