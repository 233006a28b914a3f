public import Logging
import Postgres
public import ServiceLifecycle
import Synchronization

/// Reports to anyone who follows a wallet what it holds, now and after each change.
///
/// While nobody follows, it asks the database nothing. While somebody does, it asks twice a second which of the
/// followed wallets have changed (`functions/events/followed_changes.sql`) and reads those, each once however many
/// follow it. So thousands of followers need no more connections than one, and no session of their own.
public final class BalanceChanges: Service, Sendable {
    private static let batch = 100
    /// More events than this between two questions are not looked at; everything is read instead.
    private static let eventLimit = 10_000
    private static let longestPause: Duration = .seconds(5)

    private let wallet: Wallet
    private let interval: Duration
    private let logger: Logger
    private let followed = Mutex(BalanceSubscribers())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Makes the service; nothing is reported before ``run()``.
    ///
    /// - Parameters:
    ///   - wallet: What is read.
    ///   - interval: How long to wait between two questions for changes.
    ///   - logger: Logs failures.
    public init(wallet: Wallet, interval: Duration = .milliseconds(500), logger: Logger) {
        self.wallet = wallet
        self.interval = interval
        self.logger = logger
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows a user's wallet: what it holds is reported soon and then after each change.
    ///
    /// SQL: `functions/accounts/caller_account.sql`: a user first seen gets an account, so that there is something to
    /// report.
    ///
    /// - Parameters:
    ///   - caller: Whose wallet.
    ///   - environment: Which of the user's wallets.
    ///   - onUpdate: Receives the updates, from any task and one after the other; must not block. The same balance may
    ///     come twice.
    /// - Returns: What keeps the updates coming for as long as it is held.
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

    /// Asks and reads until shutdown.
    ///
    /// - Throws: Nothing; declared by the protocol.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.askForChanges() }
                group.addTask { await self.readDue() }
            }
        }
    }

    /// Notes which followed wallets have changed.
    ///
    /// What changed while nobody followed, or while the database did not
    /// answer, is not asked for: then every followed wallet is read.
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
            // A cancelled pause ends the loop around it.
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

    /// Reads wallets and reports them to their followers; false when it has to be done again.
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
        self.logger.warning("followed wallets could not be read", error: error)
    }

    private func pause(_ failures: Int) async {
        // A cancelled pause ends the loop around it.
        try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100 * (1 << min(failures, 6)))))
    }
}
