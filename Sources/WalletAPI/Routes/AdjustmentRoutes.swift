import Foundation
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
    /// The maximum amount of one adjustment, added or deducted.
    let maximumAmount: Int
    /// The maximum total that one operator may add and deduct in one day.
    let dailyAmount: Int

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/adjustments", use: self.adjust)
    }

    @Sendable
    private func adjust(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<AdjustmentReceipt> {
        let environment = try request.walletEnvironment()
        let dryRun = try request.isDryRun()
        let key = dryRun ? try request.idempotencyKeyIfSent() : try request.idempotencyKey()
        let adjustment = try await request.json(Adjustment.self).checked(in: environment)
        guard adjustment.amount.magnitude <= UInt64(self.maximumAmount) else {
            throw Problem(
                .forbidden,
                "amount-too-large",
                "One call can add or deduct at most \(self.maximumAmount).",
                members: ["maximum": .number(Decimal(self.maximumAmount))]
            )
        }
        let receipt = try await self.wallet.adjust(
            adjustment,
            by: context.actor,
            key: key,
            in: environment,
            dryRun: dryRun,
            shown: try request.preview(),
            dailyAmount: self.dailyAmount
        )
        if receipt.replayed { return JSONAnswer(receipt, headers: [.idempotentReplayed: "true"]) }
        return JSONAnswer(receipt, status: dryRun ? .ok : .created)
    }
}

extension Adjustment {
    /// Refuses members of the correct type whose values no adjustment can have.
    ///
    /// - Parameter environment: The request's environment. A body that names another environment is refused: an
    ///   operator who tests in the sandbox must not change real credits because a header is missing.
    /// - Returns: The adjustment.
    /// - Throws: ``Problem`` 400 `malformed-request`.
    func checked(in environment: WalletEnvironment) throws -> Adjustment {
        guard self.environment ?? environment == environment else {
            throw Problem.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.environment.map { Received($0.rawValue) }
            )
        }
        try OperatorText.check(self.userID, "user_id", upTo: 320)
        guard self.amount != 0 else { throw Problem.member("amount", "must not be 0") }
        guard self.amount > 0 || self.source != .gift else {
            throw Problem.member("amount", "of a gift must be more than 0", Received(self.amount))
        }
        guard self.amount > 0 || self.expiresAt == nil else {
            throw Problem.member("expires_at", "is allowed only for an amount above 0; the amount is \(self.amount)")
        }
        try OperatorText.check(self.reason, "reason", upTo: 500)
        try OperatorText.check(self.reference, "reference", upTo: 200)
        return self
    }
}
