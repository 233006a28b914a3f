public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Brings the books to what a store says of one purchase.
    ///
    /// Nothing else grants. The same fact may be applied any number of times. Facts that come while others are applied
    /// wait for these and are then applied together, each decided on its own.
    ///
    /// SQL: `functions/purchases/apply_fact.sql`, for a batch `functions/purchases/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - fact: What the store says.
    ///   - caller: Who submits it.
    /// - Returns: Whether the user has the grant, or why not.
    /// - Throws: ``WalletError`` 401 `unauthenticated` where the caller's token speaks for nobody any more; 503
    ///   `overloaded` when too many wait, else when the database does not answer; the same call may then be repeated.
    public func apply(_ fact: StoreFact, submittedBy caller: Caller) async throws -> FactOutcome {
        let item = FactItem(submitter: caller, statement: StoreEvent.AttributedFact(fact: fact))
        let outcome = try await self.facts.submit(item).outcome
        self.metrics.note(outcome)
        return outcome
    }

    /// Brings the books to what a store says of several purchases of one user, together, each decided on its own.
    ///
    /// SQL: `functions/purchases/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - facts: What the store says, in the order in which it is to be applied.
    ///   - caller: Who submits it.
    ///   - attestedByStore: Whether the store itself, not the caller, says that the purchases are the caller's.
    /// - Returns: An outcome for each fact, in order.
    /// - Throws: As ``apply(_:submittedBy:)``, for the first fact that failed; what was decided of the others stays.
    public func apply(
        _ facts: [StoreFact],
        submittedBy caller: Caller,
        attestedByStore: Bool
    ) async throws -> [FactOutcome] {
        let items = facts.map { fact in
            attestedByStore
                ? FactItem(
                    submitter: nil,
                    statement: StoreEvent.AttributedFact(fact: fact, owners: [caller.user.rawValue])
                )
                : FactItem(submitter: caller, statement: StoreEvent.AttributedFact(fact: fact))
        }
        if items.count == 1 {
            // It waits with other users' facts for their batch; several are a batch already.
            let outcome = try await self.facts.submit(items[0]).outcome
            self.metrics.note(outcome)
            return [outcome]
        }
        let results = await self.factExecutor.decideAll(items)
        for case .success(let outcome) in results { self.metrics.note(outcome) }
        return try results.map { try $0.get() }
    }

    /// Enables a store from an instant on; what it sold before is recorded, not granted.
    ///
    /// The first instant that is given stays in force.
    ///
    /// SQL: `functions/purchases/enable_store.sql`.
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
