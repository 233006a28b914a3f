import Foundation
import Postgres

extension Wallet {
    /// Adds to a wallet or takes from it for an operator, once per reference and once per key, or says what that would do.
    ///
    /// SQL: `functions/ledger/operator_adjust.sql`.
    ///
    /// - Parameters:
    ///   - adjustment: What to post.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key; nil for none.
    ///   - environment: Which of the user's wallets.
    ///   - dryRun: Whether to undo it once its answer is known.
    /// - Returns: What was posted and the balance after it.
    /// - Throws: ``WalletError`` 403 `right-missing`, 409 `balance-too-low` or `reference-reused`, 422 `idempotency-key-reused`,
    ///   `expiry-passed` or `gift-not-positive`, 503 when the database does not answer.
    public func adjust(
        _ adjustment: Adjustment,
        by actor: OperatorIdentity,
        key: String?,
        in environment: WalletEnvironment,
        dryRun: Bool = false
    ) async throws -> AdjustmentReceipt {
        let source = adjustment.source == .gift ? "promo" : "adjustment"
        let receipts = try await self.query(
            """
            SELECT a.replayed, a.lot_id, a.expires_at, a.credits, a.visits, a.version FROM wallet.operator_adjust(
                \(adjustment.userID), \(environment.rawValue)::wallet.environment,
                \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(adjustment.reference),
                \(adjustment.reason), \(source), \(adjustment.expiresAt), \(actor.id.rawValue), \(key),
                \(dryRun), \(actor.right.rawValue)::wallet.operator_right
            ) AS a
            """
        ) { row in
            AdjustmentReceipt(
                adjustment: AdjustmentReceipt.Posted(
                    adjustment,
                    environment: environment,
                    lotID: try row.decode("lot_id"),
                    expiresAt: try row.decode("expires_at")
                ),
                balance: try BalanceSummary(row: row),
                replayed: try row.decode("replayed")
            )
        }
        guard let receipt = receipts.first else { throw WalletError(status: 500, slug: "internal-error") }
        return receipt
    }
}
