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
