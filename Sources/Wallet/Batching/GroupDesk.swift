import Postgres
import Synchronization

/// Decides groups of items in one statement each.
///
/// What the statement leaves over is decided alone, one after the other in order of arrival on a connection of its own:
/// it may have to wait for somebody, and then no group waits along. So is every item of a group that fails as a whole.
final class GroupDesk<Item: GroupItem>: Sendable {
    typealias Decision = GroupDecision<Item.Outcome>
    private typealias Lone = Task<Result<Item.Outcome, WalletError>, Never>

    private let pool: Pool
    /// The last item that was left over.
    private let last = Mutex<Lone?>(nil)

    init(pool: Pool) {
        self.pool = pool
    }

    /// Decides a group.
    ///
    /// - Parameters:
    ///   - items: The group, in order of arrival.
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
            answer?.map(Decision.done) ?? .success(.later(self.later(item, before: deadline)))
        }
    }

    /// What the group's statement decided of each item, nil for what it left over.
    private func answers(to items: [Item]) async throws -> [Result<Item.Outcome, WalletError>?] {
        let answers = try await self.pool.query(Item.group(items)).map { row in try Self.answer(in: row) }
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

    private func later(_ item: Item, before deadline: ContinuousClock.Instant) -> Lone {
        self.last.withLock { last in
            let previous = last
            let lone = Lone {
                _ = await previous?.value
                guard ContinuousClock.now < deadline else { return .failure(.overloaded) }
                return await self.alone(item)
            }
            last = lone
            return lone
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
