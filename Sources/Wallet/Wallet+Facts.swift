public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Brings the books to what a store says of one purchase.
    ///
    /// Nothing else grants. SQL: `functions/apply_fact.sql`. The same fact may be applied any number of times.
    ///
    /// - Parameters:
    ///   - fact: What the store says.
    ///   - user: Who submits it.
    /// - Returns: Whether the user has the grant, or why not.
    /// - Throws: ``WalletError`` 503 when the database does not answer; the same call may then be repeated.
    public func apply(_ fact: StoreFact, submittedBy user: UserID) async throws -> FactOutcome {
        try await self.factOutcome(
            """
            SELECT o.*, o.unit::text AS unit_name
            FROM wallet.apply_fact(wallet.account_for(\(user.rawValue)), \(json: fact)) AS o
            """
        )
    }

    func factOutcome(_ query: Query) async throws -> FactOutcome {
        let outcomes = try await self.query(query) { row in
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
        guard let outcome = outcomes.first else { throw WalletError(status: 500, slug: "internal-error") }
        return outcome
    }

    /// Enables a store from an instant on; what it sold before is recorded, not granted.
    ///
    /// The first instant that is given stays in force.
    ///
    /// SQL: `functions/enable_store.sql`.
    ///
    /// - Parameters:
    ///   - store: The store's name, such as `app_store`.
    ///   - grantsFrom: The instant.
    /// - Returns: The instant that is in force.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    @discardableResult
    public func enableStore(_ store: String, grantsFrom: Date) async throws -> Date {
        let instants = try await self.query(
            "SELECT wallet.enable_store(\(store), \(grantsFrom)) AS grants_from"
        ) { row in try row.decode("grants_from", as: Date.self) }
        guard let instant = instants.first else { throw WalletError(status: 500, slug: "internal-error") }
        return instant
    }
}
