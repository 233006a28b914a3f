import Foundation
import Postgres

extension Wallet {
    /// Adds to a wallet or deducts from it for an operator, once per reference and once per key, or reports the result
    /// of a dry run.
    ///
    /// SQL: `functions/operations/operator_adjust.sql`.
    ///
    /// - Parameters:
    ///   - adjustment: The adjustment to post.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key; `nil` for none.
    ///   - environment: The environment of the user's wallet.
    ///   - dryRun: A Boolean value that indicates whether to undo the adjustment after its result is known.
    ///   - shown: The preview from a dry run; if the wallet or the request differs from it, nothing is done. `nil`
    ///     adjusts any balance.
    ///   - dailyAmount: The maximum total that the operator may add and deduct in one day; `nil` for no maximum.
    /// - Returns: The posted adjustment and the balance after it.
    /// - Throws: ``WalletError`` 403 `right-missing` or `daily-amount-exceeded`, 404 `user-not-found`, 412
    ///   `preview-outdated`, 409 `balance-too-low` or `reference-reused`, 422 `idempotency-key-reused`,
    ///   `expiry-passed` or `gift-not-positive`, 503 when the database does not answer.
    public func adjust(
        _ adjustment: Adjustment,
        by actor: OperatorIdentity,
        key: String?,
        in environment: WalletEnvironment,
        dryRun: Bool = false,
        shown: String? = nil,
        dailyAmount: Int? = nil
    ) async throws -> AdjustmentReceipt {
        let source = adjustment.source == .gift ? "promo" : "adjustment"
        let receipts = try await self.query(
            """
            SELECT
                a.replayed, a.lot_id, a.expires_at, a.credits, a.visits, a.version, a.before_credits, a.before_visits,
                a.preview
            FROM wallet.operator_adjust(
                \(adjustment.userID), \(environment.rawValue)::wallet.environment,
                \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(adjustment.reference),
                \(adjustment.reason), \(source), \(adjustment.expiresAt), \(actor.id.rawValue), \(key),
                \(dryRun), \(actor.right.rawValue)::wallet.operator_right, \(adjustment.newUser), \(shown),
                \(dailyAmount.map(Int64.init))
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
                before: AdjustmentReceipt.Before(
                    credits: try row.decode("before_credits"),
                    visits: try row.decode("before_visits")
                ),
                balance: try BalanceSummary(row: row),
                preview: dryRun ? try row.decode("preview") : nil,
                replayed: try row.decode("replayed")
            )
        }
        guard let receipt = receipts.first else { throw WalletError(status: 500, slug: "internal-error") }
        return receipt
    }
}
