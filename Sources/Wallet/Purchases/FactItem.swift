import Foundation
import Postgres
import Stores

/// One store fact, reported by a submitter or by the store itself.
struct FactItem: BatchItem {
    /// The user who submits the fact; `nil` if the store reports it.
    let submitter: Caller?
    let statement: StoreEvent.AttributedFact

    static func batch(_ items: [FactItem]) throws -> Query {
        try """
        SELECT a.item, a.state, a.message, a.detail, (a.fact).*, (a.fact).unit::text AS unit_name
        FROM wallet.apply_batch(ARRAY(
            SELECT ROW(
                i.submitter, i.issued_at, i.is_anonymous, i.account_token, i.statement, NULL, NULL, NULL, NULL, NULL
            )::wallet.store_request
            FROM unnest(
                \(items.map { $0.submitter?.user.rawValue })::text[],
                \(items.map { $0.submitter?.issuedAt })::timestamptz[],
                \(items.map { $0.submitter?.isAnonymous })::boolean[],
                \(items.map { $0.submitter?.user.appAccountToken })::uuid[],
                \(items.map { try JSONText(encoding: $0.statement) })::jsonb[]
            ) WITH ORDINALITY AS i (submitter, issued_at, is_anonymous, account_token, statement, place)
            ORDER BY i.place
        )) AS a
        ORDER BY a.item
        """
    }

    func alone() throws -> Query {
        guard let submitter = self.submitter else {
            return try "SELECT o.*, o.unit::text AS unit_name FROM wallet.apply_statement(\(json: self.statement)) AS o"
        }
        return try """
        SELECT o.*, o.unit::text AS unit_name
        FROM wallet.apply_fact(\(accountOf: submitter), \(json: self.statement.fact)) AS o
        """
    }

    static func outcome(in row: Row) throws -> FactOutcome {
        FactOutcome(
            verdict: try row.decode("verdict", as: String.self) == "granted" ? .granted : .skipped,
            reason: try row.decode("reason"),
            duplicate: try row.decode("duplicate"),
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            unit: try row.decodeUnit("unit_name"),
            amount: try row.decode("amount"),
            lotID: try row.decode("lot_id")
        )
    }
}
