import Foundation
import Postgres
import Synchronization

/// Decides batches of items, each batch in one statement.
///
/// If the statement defers an item, the item is decided alone, after earlier deferred items and on a separate
/// connection. The item may have to wait for a lock, and no batch waits with it. If a batch fails as a whole, all of
/// its items are deferred.
final class BatchExecutor<Item: BatchItem>: Sendable {
    typealias Decision = BatchDecision<Item.Outcome>
    private typealias DeferredTask = Task<Result<Item.Outcome, WalletError>, Never>

    private struct DeferredItems {
        var last: DeferredTask?
        var count = 0
    }

    private let pool: Pool
    private let configuration: BatchingConfiguration
    /// The deferred items that are not decided yet.
    private let deferredItems = Mutex(DeferredItems())

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - pool: The pool that runs the statements.
    ///   - configuration: The maximum size of a batch, the maximum number of deferred items, and the maximum time that
    ///     a deferred item waits for those before it.
    init(pool: Pool, configuration: BatchingConfiguration) {
        self.pool = pool
        self.configuration = configuration
    }

    /// Decides a batch.
    ///
    /// - Parameter items: The batch, in order of arrival.
    /// - Returns: A decision for each item, in order. A deferred item gets 503 `overloaded` if too many items are
    ///   deferred already, or if it waited too long for those before it.
    func decide(_ items: [Item]) async -> [Result<Decision, WalletError>] {
        let answers: [Result<Item.Outcome, WalletError>?]
        do {
            answers = try await self.answers(to: items)
        } catch let error as PostgresError where error.isGivenUp {
            // Decided alone, the items would only wait for the locks that the batch holds.
            return items.map { _ in .failure(WalletError(error)) }
        } catch {
            // The outcome is unknown; every item may be repeated safely.
            answers = Array(repeating: nil, count: items.count)
        }
        let deadline = ContinuousClock.now + self.configuration.patience
        return zip(items, answers).map { item, answer in
            answer?.map(Decision.done) ?? self.deferred(item, before: deadline)
        }
    }

    /// Decides items in as many batches as necessary, and waits until all are decided, including deferred items.
    ///
    /// - Parameter items: The items, in the order of decision.
    /// - Returns: An outcome for each item, in order; see ``decide(_:)``.
    func decideAll(_ items: [Item]) async -> [Result<Item.Outcome, WalletError>] {
        var results: [Result<Item.Outcome, WalletError>] = []
        var rest = items[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(self.configuration.batchLimit))
            rest = rest.dropFirst(batch.count)
            for decision in await self.decide(batch) {
                results.append(await decision.outcome())
            }
        }
        return results
    }

    /// Returns the batch statement's outcome of each item; `nil` for a deferred item.
    private func answers(to items: [Item]) async throws -> [Result<Item.Outcome, WalletError>?] {
        let answers = try await self.pool.query(Item.batch(items)).map { row in try Self.answer(in: row) }
        guard answers.count == items.count else { throw WalletError(status: 500, slug: "internal-error") }
        return answers
    }

    private static func answer(in row: Row) throws -> Result<Item.Outcome, WalletError>? {
        guard let state = try row.decode("state", as: String?.self) else { return .success(try Item.outcome(in: row)) }
        let refusal = PostgresError(
            sqlState: state,
            message: try row.decode("message"),
            detail: try row.decode("detail")
        )
        return refusal.code == .refused ? .failure(WalletError(refusal)) : nil
    }

    private func deferred(
        _ item: Item,
        before deadline: ContinuousClock.Instant
    ) -> Result<Decision, WalletError> {
        self.deferredItems.withLock { items in
            guard items.count < self.configuration.queueLimit else { return .failure(.overloaded) }
            let previous = items.last
            let task = DeferredTask {
                _ = await previous?.value
                defer { self.deferredItems.withLock { $0.count -= 1 } }
                guard ContinuousClock.now < deadline else { return .failure(.overloaded) }
                return await self.alone(item)
            }
            items.last = task
            items.count += 1
            return .success(.deferred(task))
        }
    }

    private func alone(_ item: Item) async -> Result<Item.Outcome, WalletError> {
        do {
            let outcomes = try await self.pool.query(item.alone()).map { row in try Item.outcome(in: row) }
            guard let outcome = outcomes.first else { throw WalletError(status: 500, slug: "internal-error") }
            return .success(outcome)
        } catch let error as PostgresError {
            return .failure(WalletError(error))
        } catch {
            return .failure(WalletError(status: 500, slug: "internal-error"))
        }
    }
}

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

extension JSONText {
    /// Creates JSON text from a value.
    init(encoding value: some Encodable) throws {
        self.init(rawValue: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
