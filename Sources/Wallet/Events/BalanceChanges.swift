import Foundation
public import Logging
import Postgres
public import ServiceLifecycle
import Synchronization

/// A service that reports the balance of followed wallets, at first and after each change.
///
/// While no wallet is followed, the service sends no queries. Otherwise it queries twice a second which followed
/// wallets have changed (`functions/events/followed_changes.sql`). It reads each changed wallet once, however many
/// clients follow it. So thousands of followers need no more connections than a single follower, and no dedicated
/// sessions.
public final class BalanceChanges: Service, Sendable {
    private static let batch = 100
    /// The maximum number of events to check between two queries; if there are more, every followed wallet is read.
    private static let eventLimit = 10_000
    private static let longestPause: Duration = .seconds(5)

    private let wallet: Wallet
    private let interval: Duration
    private let logger: Logger
    private let followed = Mutex(BalanceSubscribers())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Creates the service; it reports nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - wallet: The wallet to read.
    ///   - interval: The pause between two queries for changes.
    ///   - logger: Receives a line for each failure.
    public init(wallet: Wallet, interval: Duration = .milliseconds(500), logger: Logger) {
        self.wallet = wallet
        self.interval = interval
        self.logger = logger
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows a user's wallet: reports its balance soon, and then after each change.
    ///
    /// SQL: `functions/accounts/admission.sql`, which opens an account for a new user, so that there is a balance
    /// to report.
    ///
    /// - Parameters:
    ///   - caller: The owner of the wallet.
    ///   - environment: The environment of the user's wallet.
    ///   - onUpdate: Receives the updates, from any task and one after another; must not block. The same balance may be
    ///     reported twice.
    /// - Returns: A subscription; updates continue as long as the caller keeps it.
    /// - Throws: ``WalletError`` 401 `unauthenticated`, 503 when the database does not answer.
    public func follow(
        _ caller: Caller,
        in environment: WalletEnvironment,
        onUpdate: @escaping @Sendable (BalanceUpdate) -> Void
    ) async throws -> BalanceSubscription {
        let key = BalanceSubscribers.Key(accountID: try await self.wallet.account(of: caller), environment: environment)
        let id = self.followed.withLock { $0.add(caller.user, key, onUpdate) }
        self.wake.yield()
        return BalanceSubscription { [weak self] in self?.followed.withLock { $0.remove(id, from: key) } }
    }

    /// Queries for changes and reads wallets until shutdown.
    ///
    /// - Throws: Nothing; the protocol requires the declaration.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.askForChanges() }
                group.addTask { await self.readDue() }
            }
        }
    }

    /// Marks the followed wallets that have changed.
    ///
    /// The service does not query for changes that occurred while no wallet was followed or while the database did not
    /// answer. In these cases it reads every followed wallet.
    private func askForChanges() async {
        var since: String?
        while !Task.isCancelled {
            let accounts = self.followed.withLock { $0.accounts }
            if accounts.isEmpty {
                since = nil
            } else {
                do {
                    let changes = try await self.wallet.changes(of: accounts, since: since, limit: Self.eventLimit)
                    since = changes.until
                    self.note(changes)
                } catch {
                    self.noteFailure(error, isFirst: since != nil)
                    since = nil
                }
            }
            // If the pause is cancelled, the loop ends.
            try? await Task.sleep(for: self.interval)
        }
    }

    private func note(_ changes: FollowedChanges) {
        self.followed.withLock { followed in
            if changes.isComplete {
                for key in changes.wallets { followed.note(key) }
            } else {
                followed.noteAll()
            }
        }
        self.wake.yield()
    }

    private func readDue() async {
        for await _ in self.wakes {
            var failures = 0
            while !Task.isCancelled {
                let due = self.followed.withLock { $0.takeDue(Self.batch) }
                guard !due.isEmpty else { break }
                failures = await self.read(due) ? 0 : failures + 1
                if failures > 0 { await self.pause(failures) }
            }
        }
    }

    /// Reads wallets and reports them to their followers; returns false if the reads must be repeated.
    private func read(_ due: [BalanceSubscribers.Due]) async -> Bool {
        do {
            let updates = try await self.wallet.balances(of: due)
            for (due, update) in zip(due, updates) {
                for onUpdate in self.followed.withLock({ $0.followers(of: due.key) }) { onUpdate(update) }
            }
            return true
        } catch {
            self.noteFailure(error, isFirst: true)
            self.followed.withLock { followed in
                for due in due { followed.note(due.key) }
            }
            return false
        }
    }

    private func noteFailure(_ error: any Error, isFirst: Bool) {
        guard isFirst, !Task.isCancelled else { return }
        self.logger.warning("subscribed balances could not be read", error: error)
    }

    private func pause(_ failures: Int) async {
        // If the pause is cancelled, the loop of the caller ends.
        try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100 * (1 << min(failures, 6)))))
    }
}

/// An update for the followers of a wallet.
public enum BalanceUpdate: Sendable {
    /// The wallet's balance, read after the last known change.
    case balance(Balance)
    /// The user was deleted or merged into another; no further updates follow.
    case gone
}

/// A subscription to a wallet's balance; it ends when the object is released.
public final class BalanceSubscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }
}

/// The followed wallets, and which of them must be read again.
private struct BalanceSubscribers: Sendable {
    typealias Handler = @Sendable (BalanceUpdate) -> Void

    /// The key of a wallet in reported changes.
    struct Key: Hashable, Sendable {
        let accountID: Int64
        let environment: WalletEnvironment
    }

    /// A wallet to read.
    struct Due: Sendable {
        let key: Key
        let user: UserID
    }

    private struct Wallet: Sendable {
        let user: UserID
        var followers: [(id: Int, onUpdate: Handler)] = []
        var isDue = false
    }

    private var wallets: [Key: Wallet] = [:]
    private var due: [Key] = []
    private var nextID = 0

    /// Adds a follower; the wallet is read soon, even if other followers already have its balance.
    mutating func add(_ user: UserID, _ key: Key, _ onUpdate: @escaping Handler) -> Int {
        let id = self.nextID
        self.nextID += 1
        self.wallets[key, default: Wallet(user: user)].followers.append((id, onUpdate))
        self.note(key)
        return id
    }

    mutating func remove(_ id: Int, from key: Key) {
        self.wallets[key]?.followers.removeAll { $0.id == id }
        if self.wallets[key]?.followers.isEmpty == true { self.wallets[key] = nil }
    }

    /// Marks a wallet to be read again, if it is followed; several marks lead to one read.
    mutating func note(_ key: Key) {
        guard self.wallets[key]?.isDue == false else { return }
        self.wallets[key]?.isDue = true
        self.due.append(key)
    }

    mutating func noteAll() {
        for key in self.wallets.keys { self.note(key) }
    }

    /// Removes and returns the wallets that have waited longest.
    mutating func takeDue(_ limit: Int) -> [Due] {
        var taken: [Due] = []
        let keys = self.due.prefix(limit)
        self.due.removeFirst(keys.count)
        for key in keys {
            // The last follower may have left in the meantime.
            guard let wallet = self.wallets[key], wallet.isDue else { continue }
            self.wallets[key]?.isDue = false
            taken.append(Due(key: key, user: wallet.user))
        }
        return taken
    }

    /// The accounts of the followed wallets.
    var accounts: [Int64] { Set(self.wallets.keys.map(\.accountID)).sorted() }

    func followers(of key: Key) -> [Handler] {
        self.wallets[key]?.followers.map(\.onUpdate) ?? []
    }
}

/// The followed wallets that have changed, as returned by `functions/events/followed_changes.sql`.
private struct FollowedChanges: Sendable {
    /// The point up to which changes were checked; the next query starts from it.
    let until: String
    /// A Boolean value that indicates whether ``wallets`` contains all changes; if not, any wallet may have changed.
    let isComplete: Bool
    let wallets: [BalanceSubscribers.Key]
}

extension Wallet {
    /// Returns a user's account and opens one for a new user.
    ///
    /// SQL: `functions/accounts/admission.sql`.
    fileprivate func account(of caller: Caller) async throws -> Int64 {
        try await self.queryOne(
            "SELECT \(accountOf: caller) AS account_id"
        ) { row in try row.decode("account_id", as: Int64.self) }
    }

    /// Reads several wallets at once, in the given order.
    ///
    /// SQL: `views/ledger/balances.sql`.
    ///
    /// - Parameter due: The wallets; a user who has another account by now is reported as gone.
    /// - Returns: The update for each wallet.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    fileprivate func balances(of due: [BalanceSubscribers.Due]) async throws -> [BalanceUpdate] {
        let rows = try await self.query(
            """
            SELECT q.item, q.account_id, \(unescaped: Balance.columns)
            FROM (
                SELECT t.item, u.account_id, t.environment
                FROM unnest(
                    \(due.map(\.user.rawValue)), \(due.map(\.key.environment.rawValue))::wallet.environment[]
                ) WITH ORDINALITY AS t (user_id, environment, item)
                LEFT JOIN wallet.users AS u ON t.user_id = u.user_id
            ) AS q
            \(unescaped: Balance.joins)
            ORDER BY q.item, \(unescaped: Balance.order)
            """
        ) { $0 }
        return try Self.decoding {
            try zip(due, rows.byItem(count: due.count)).map { due, rows in
                guard try rows.first?.decode("account_id", as: Int64?.self) == due.key.accountID else { return .gone }
                return .balance(try Balance(rows: rows, user: due.user, environment: due.key.environment))
            }
        }
    }

    /// Reads which of the followed wallets have changed.
    ///
    /// SQL: `functions/events/followed_changes.sql`.
    ///
    /// - Parameters:
    ///   - accounts: The accounts of the followed wallets.
    ///   - since: ``FollowedChanges/until`` of the previous result; `nil` for the first query.
    ///   - limit: The maximum number of events to check; if there are more, the result is not complete.
    /// - Returns: The wallets that have changed, and the point up to which changes were checked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    fileprivate func changes(of accounts: [Int64], since: String?, limit: Int) async throws -> FollowedChanges {
        try await self.queryOne(
            """
            SELECT c.until::TEXT AS until, c.is_complete, c.account_ids, c.environments
            FROM wallet.followed_changes(\(accounts), \(since)::TEXT::XID8, \(Int32(clamping: limit))) AS c
            """
        ) { row in
            let accountIDs = try row.decode("account_ids", as: [Int64].self)
            let environments = try row.decode("environments", as: [String].self)
            let wallets = zip(accountIDs, environments).compactMap { accountID, environment in
                WalletEnvironment(rawValue: environment).map {
                    BalanceSubscribers.Key(accountID: accountID, environment: $0)
                }
            }
            return FollowedChanges(
                until: try row.decode("until"),
                isComplete: try row.decode("is_complete"),
                wallets: wallets
            )
        }
    }
}
