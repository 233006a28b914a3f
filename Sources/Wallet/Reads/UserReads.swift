import Foundation
import Postgres

/// A read of one user's data: the wallet, and the part of a list.
struct UserRead: Sendable {
    let user: UserID
    let environment: WalletEnvironment
    /// The maximum number of items of a list.
    var limit = 0
    /// The last item of the previous page; `nil` for the first page.
    var before: String?
    /// The items to list; `nil` for all.
    var filter: String?
}

/// A kind of data that users read, with a statement that reads it for one or many users.
///
/// The statement selects ``columns`` from a subquery `q` and ``joins``. `q` has one row for each read, with the columns
/// `account_id` (NULL for an unknown user), `environment`, `row_limit`, `before` and `filter`.
protocol UserReadKind: SendableMetatype {
    associatedtype Answer: Sendable

    static var columns: String { get }
    /// Joins that keep each row of `q`, even for a user who has no data of this kind.
    static var joins: String { get }
    /// The order of the rows of one read.
    static var order: String { get }

    /// Decodes the rows of one read, of which there is at least one.
    static func answer(_ rows: [Row], to read: UserRead) throws -> Answer
}

extension UserReadKind {
    static func statement(_ read: UserRead) -> Query {
        """
        SELECT \(unescaped: self.columns)
        FROM (
            SELECT (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(read.user.rawValue)) AS account_id,
                \(read.environment.rawValue)::wallet.environment AS environment, \(read.limit) AS row_limit,
                \(read.before)::text AS before, \(read.filter)::text AS filter
        ) AS q
        \(unescaped: self.joins)
        ORDER BY \(unescaped: self.order)
        """
    }

    /// Returns no rows for an account that is no longer open.
    static func statement(_ items: [UserReads<Self>.Item]) -> Query {
        """
        SELECT q.item, \(unescaped: self.columns)
        FROM (
            SELECT i.*, a.account_id
            FROM unnest(
                \(items.map(\.account.id)), \(items.map(\.account.openedAt)),
                \(items.map(\.read.environment.rawValue))::wallet.environment[], \(items.map(\.read.limit)),
                \(items.map(\.read.before)), \(items.map(\.read.filter))
            ) WITH ORDINALITY AS i (known_id, opened_at, environment, row_limit, before, filter, item)
            CROSS JOIN LATERAL (
                SELECT o.account_id FROM wallet.open_accounts AS o
                WHERE o.account_id = i.known_id AND o.opened_at = i.opened_at
                -- A plan that was made while the table was small must not read the whole table later.
                LIMIT 1
            ) AS a
        ) AS q
        \(unescaped: self.joins)
        ORDER BY q.item, \(unescaped: self.order)
        """
    }
}

/// Answers the reads of one kind: those that arrive while a statement runs are answered by the next one.
///
/// The statement begins after a read has arrived, so the answer is never older than its request.
struct UserReads<Kind: UserReadKind>: Sendable {
    struct Item: Sendable {
        let account: AdmittedAccount.Identity
        let read: UserRead
    }

    let queue: BatchQueue<Item, Kind.Answer?>

    init(pool: Pool) {
        // One statement runs at a time: a statement for many reads costs little more than one for a single read.
        let batching = BatchingConfiguration(
            batchLimit: 64,
            workers: 1,
            patience: pool.configuration.acquireTimeout
        )
        self.queue = BatchQueue(batching, tracing: QueueTracing(pool.tracer, queue: "reads")) { items in
            await Self.answers(to: items, from: pool)
        }
    }

    /// Answers a read; returns `nil` if the account is no longer open.
    func answer(_ item: Item) async throws(WalletError) -> Kind.Answer? {
        try await self.queue.submit(item)
    }

    private static func answers(to items: [Item], from pool: Pool) async -> [Result<Kind.Answer?, WalletError>] {
        do {
            let rows = try await pool.query(Kind.statement(items)).byItem(count: items.count)
            return zip(items, rows).map { item, rows in Self.answer(rows, to: item.read) }
        } catch {
            guard items.count > 1, [.invalid, .internal].contains(error.code) else {
                return items.map { _ in .failure(WalletError(error)) }
            }
            // One read may have caused the failure; the others must not fail with it.
            var results: [Result<Kind.Answer?, WalletError>] = []
            for item in items { results += await Self.answers(to: [item], from: pool) }
            return results
        }
    }

    private static func answer(_ rows: [Row], to read: UserRead) -> Result<Kind.Answer?, WalletError> {
        do {
            return .success(rows.isEmpty ? nil : try Wallet.decoding { try Kind.answer(rows, to: read) })
        } catch {
            return .failure(error as? WalletError ?? WalletError(status: 500, slug: "internal-error"))
        }
    }
}

extension Wallet {
    /// Reads a user's data for somebody whose right to it has been checked, on a standby if the request allows it.
    func answer<Kind: UserReadKind>(_ kind: Kind.Type, to read: UserRead) async throws -> Kind.Answer {
        let rows = try await self.read(Kind.statement(read)) { $0 }
        return try Self.decoding { try Kind.answer(rows, to: read) }
    }

    /// Reads a caller's data together with the reads of others, and admits the caller.
    ///
    /// The caller's account is remembered after the first admission, and each statement checks that it is still open.
    func answer<Kind: UserReadKind>(
        _ reads: UserReads<Kind>,
        to read: UserRead,
        of caller: Caller
    ) async throws -> Kind.Answer {
        // A standby may not know yet that the account was deleted.
        if self.standbys != nil, ReadSession.current?.position != nil {
            try await self.admit(caller)
            return try await self.answer(Kind.self, to: read)
        }
        ReadSession.current?.notePrimary()
        if let account = caller.account?.known {
            if let answer = try await reads.answer(UserReads.Item(account: account, read: read)) { return answer }
            caller.account?.remember(nil)
        }
        guard let account = try await self.admit(caller) else {
            // The user has no account yet.
            return try await self.answer(Kind.self, to: read)
        }
        guard let answer = try await reads.answer(UserReads.Item(account: account, read: read)) else {
            throw WalletError(status: 401, slug: "unauthenticated")
        }
        return answer
    }
}

extension [Row] {
    /// Returns the rows of each item; the column `item` contains its number, from 1.
    func byItem(count: Int) throws(PostgresError) -> [[Row]] {
        var items = [[Row]](repeating: [], count: count)
        for row in self {
            let item = try row.decode("item", as: Int.self)
            guard item > 0, item <= count else {
                throw PostgresError(.decoding, "there is no item \(item) of \(count)")
            }
            items[item - 1].append(row)
        }
        return items
    }
}
