import HTTPTypes
import Hummingbird
import JSON
import Wallet

/// Adjusts the balances of users for operators.
///
/// - `POST /operator/adjustments` (operator), with `?dry_run=true` to preview the changes and `?preview=` to apply
///   exactly the previewed changes
struct AdjustmentRoutes {
    let wallet: Wallet
    let limits: OperatorLimits

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/adjustments", use: self.adjust)
    }

    @Sendable
    private func adjust(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<AdjustmentResult> {
        var change = try request.operatorChange(by: context.actor)
        let adjustment = try await request.json(Adjustment.self)
        change.preview = try request.preview()
        let receipt = try await self.wallet.adjust(adjustment, change, limits: self.limits)
        if receipt.replayed { return JSONAnswer(receipt, headers: [.idempotentReplayed: "true"]) }
        return JSONAnswer(receipt, status: change.dryRun ? .ok : .created)
    }
}

extension Request {
    /// Returns the operator's change that this request asks for, without its preview.
    func operatorChange(by actor: OperatorIdentity) throws -> OperatorChange {
        let dryRun = try self.isDryRun()
        return OperatorChange(
            actor: actor,
            environment: try self.walletEnvironment(),
            key: dryRun ? try self.idempotencyKeyIfSent() : try self.idempotencyKey(),
            dryRun: dryRun
        )
    }
}
