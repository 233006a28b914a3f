import Postgres
import Synchronization

/// Decides batches of items in one statement each.
///
/// What the statement leaves over is decided alone, one after the other in order of arrival on a connection of its own:
/// it may have to wait for somebody, and then no batch waits along. So is every item of a batch that fails as a whole.
final class BatchExecutor<Item: BatchItem>: Sendable {
    typealias Decision = BatchDecision<Item.Outcome>
    private typealias DeferredTask = Task<Result<Item.Outcome, WalletError>, Never>

    private let pool: Pool
    /// The last item that was left over.
    private let last = Mutex<DeferredTask?>(nil)

    init(pool: Pool) {
        self.pool = pool
    }

    /// Decides a batch.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - patience: How long an item that is left over waits for those before it.
    /// - Returns: A decision for each item, in order.
    func decide(_ items: [Item], patience: Duration) async -> [Result<Decision, WalletError>] {
        let answers: [Result<Item.Outcome, WalletError>?]
        do {
            answers = try await self.answers(to: items)
        } catch {
            // Whether anything was decided is not known; every item may be repeated.
            answers = Array(repeating: nil, count: items.count)
        }
        let deadline = ContinuousClock.now + patience
        return zip(items, answers).map { item, answer in
            answer?.map(Decision.done) ?? .success(.deferred(self.deferred(item, before: deadline)))
        }
    }

    /// Decides items in as many batches as they need and waits until all are decided, also what a batch left over.
    ///
    /// - Parameter items: The items, in the order in which they are to be decided.
    /// - Returns: An outcome for each item, in order.
    func decideAll(_ items: [Item]) async -> [Result<Item.Outcome, WalletError>] {
        var results: [Result<Item.Outcome, WalletError>] = []
        var rest = items[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(BatchingConfiguration.facts.batchLimit))
            rest = rest.dropFirst(batch.count)
            for decision in await self.decide(batch, patience: Self.patience) {
                results.append(await decision.outcome())
            }
        }
        return results
    }

    /// How long an item that a batch left over waits for those before it, where nobody says.
    private static var patience: Duration { .seconds(30) }

    /// What the batch's statement decided of each item, nil for what it left over.
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

    private func deferred(_ item: Item, before deadline: ContinuousClock.Instant) -> DeferredTask {
        self.last.withLock { last in
            let previous = last
            let task = DeferredTask {
                _ = await previous?.value
                guard ContinuousClock.now < deadline else { return .failure(.overloaded) }
                return await self.alone(item)
            }
            last = task
            return task
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
