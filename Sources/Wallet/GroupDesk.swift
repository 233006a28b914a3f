import Postgres

/// Decides groups of items in one statement each.
///
/// What the statement leaves over is decided alone, in order of arrival: it may have to wait for somebody, and then no
/// other group waits along. So is every item of a group that fails as a whole.
struct GroupDesk<Item: GroupItem>: Sendable {
    typealias Decision = GroupDecision<Item.Outcome>

    let pool: Pool

    /// Decides a group; answers each item, in order.
    @Sendable
    func decide(_ items: [Item]) async -> [Result<Decision, WalletError>] {
        guard items.count > 1 else { return await self.one(items) }
        let answers: [Result<Item.Outcome, WalletError>?]
        do {
            answers = try await self.answers(to: items)
        } catch {
            // Whether anything was decided is not known; every item may be repeated.
            answers = Array(repeating: nil, count: items.count)
        }
        var last: Task<LoneDecision<Item.Outcome>, Never>?
        return zip(items, answers).map { item, answer in
            if let answer { return answer.map(Decision.done) }
            let previous = last
            let task = Task { await self.alone(item, after: previous) }
            last = task
            return .success(.later(task))
        }
    }

    private func one(_ items: [Item]) async -> [Result<Decision, WalletError>] {
        var results: [Result<Decision, WalletError>] = []
        for item in items {
            results.append(await self.alone(item).result.map(Decision.done))
        }
        return results
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

    /// Decides an item once the one before is decided; where there is no database, it is not asked again and again.
    private func alone(
        _ item: Item,
        after previous: Task<LoneDecision<Item.Outcome>, Never>?
    ) async -> LoneDecision<Item.Outcome> {
        if let before = await previous?.value, before.isGone, case .failure(let error) = before.result {
            return LoneDecision(result: .failure(error), isGone: true)
        }
        return await self.alone(item)
    }

    private func alone(_ item: Item) async -> LoneDecision<Item.Outcome> {
        do {
            let outcomes = try await self.pool.query(item.alone()).map { row in try Item.outcome(in: row) }
            guard let outcome = outcomes.first else { throw WalletError(status: 500, slug: "internal-error") }
            return LoneDecision(result: .success(outcome))
        } catch let error as PostgresError {
            let isGone = error.sqlState == nil && [.unavailable, .closed, .overloaded].contains(error.code)
            return LoneDecision(result: .failure(WalletError(error)), isGone: isGone)
        } catch {
            return LoneDecision(result: .failure(WalletError(status: 500, slug: "internal-error")))
        }
    }
}
