import Postgres

/// What can be taken in batches, with the two statements that do it: one for a batch, one for an item alone.
protocol BatchItem: Sendable {
    associatedtype Outcome: Sendable

    /// Answers a row for each item, in order: `state`, `message` and `detail` of what it was undone for, else all nil
    /// and the columns of an outcome.
    static func batch(_ items: [Self]) throws -> Query
    /// Answers one row, with the columns of an outcome.
    func alone() throws -> Query
    /// Reads an outcome.
    static func outcome(in row: Row) throws -> Outcome
}

/// What a batch made of one of its items.
enum BatchDecision<Outcome: Sendable>: Sendable {
    case done(Outcome)
    /// The batch left it over: it is decided alone, and the batch waits for nobody.
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
    /// What a batch's decision comes to in the end.
    func outcome<Outcome>() async -> Result<Outcome, WalletError>
    where Success == BatchDecision<Outcome>, Failure == WalletError {
        switch self {
        case .success(.done(let outcome)): .success(outcome)
        case .success(.deferred(let task)): await task.value
        case .failure(let error): .failure(error)
        }
    }
}
