public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Applies a store's data about one purchase to the books.
    ///
    /// Only store facts grant purchases. The same fact may be applied any number of times. Facts that arrive while
    /// others are being applied wait, and are then applied in one batch, each decided independently.
    ///
    /// SQL: `functions/purchases/apply_fact.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - fact: The store's data.
    ///   - caller: The user who submits the fact.
    /// - Returns: The decision: whether the user has the grant, or the reason why not.
    /// - Throws: ``WalletError`` 401 `unauthenticated` if the caller's token is no longer valid; 503 `overloaded` if
    ///   too many facts wait, otherwise when the database does not answer; the same call may then be repeated.
    public func apply(_ fact: StoreFact, submittedBy caller: Caller) async throws -> FactOutcome {
        let item = FactItem(submitter: caller, statement: StoreEvent.AttributedFact(fact: fact))
        let outcome = try await self.facts.submit(item).outcome
        self.metrics.note(outcome)
        return outcome
    }

    /// Applies a store's data about several purchases of one user in one batch; each is decided independently.
    ///
    /// SQL: `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - facts: The store's data, in the order of application.
    ///   - caller: The user who submits the facts.
    ///   - attestedByStore: A Boolean value that indicates whether the store itself, not the caller, attests that the
    ///     purchases belong to the caller.
    /// - Returns: An outcome for each fact, in order.
    /// - Throws: As ``apply(_:submittedBy:)``, for the first fact that failed; the decisions about the others stay in
    ///   effect.
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
            // A single fact joins the batch of other users' facts; several facts already form a batch.
            let outcome = try await self.facts.submit(items[0]).outcome
            self.metrics.note(outcome)
            return [outcome]
        }
        let results = await self.factExecutor.decideAll(items)
        for case .success(let outcome) in results { self.metrics.note(outcome) }
        return try results.map { try $0.get() }
    }

    /// Enables a store from an instant on; earlier purchases are recorded, but not granted.
    ///
    /// The first instant that was set stays in force.
    ///
    /// SQL: `functions/purchases/stores.sql`.
    ///
    /// - Parameters:
    ///   - store: The store's name, such as `app_store`.
    ///   - grantsFrom: The instant.
    /// - Returns: The instant in force.
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
