import Postgres

/// An item that can be decided in batches, with two statements: one for a batch and one for a single item.
protocol BatchItem: Sendable {
    associatedtype Outcome: Sendable

    /// Returns the statement for a batch, which returns one row for each item, in order.
    ///
    /// If the item was undone, the row contains the error's `state`, `message` and `detail`. Otherwise these are NULL,
    /// and the row contains the columns of an outcome.
    static func batch(_ items: [Self]) throws -> Query
    /// Returns the statement for a single item, which returns one row with the columns of an outcome.
    func alone() throws -> Query
    /// Reads an outcome.
    static func outcome(in row: Row) throws -> Outcome
}

/// The decision of a batch about one of its items.
enum BatchDecision<Outcome: Sendable>: Sendable {
    case done(Outcome)
    /// The batch deferred the item; the task decides it alone, so that the batch does not wait.
    case deferred(Task<Result<Outcome, WalletError>, Never>)

    var outcome: Outcome {
        get async throws(WalletError) {
            switch self {
            case .done(let outcome): return outcome
            case .deferred(let task): return try await task.value.get()
            }
        }
    }
}

extension Result {
    /// Returns the final outcome of a decision; waits for a deferred item.
    func outcome<Outcome>() async -> Result<Outcome, WalletError>
    where Success == BatchDecision<Outcome>, Failure == WalletError {
        switch self {
        case .success(.done(let outcome)): .success(outcome)
        case .success(.deferred(let task)): await task.value
        case .failure(let error): .failure(error)
        }
    }
}
