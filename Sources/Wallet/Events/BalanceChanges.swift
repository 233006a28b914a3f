public import Logging
public import Postgres
public import ServiceLifecycle
import Synchronization

/// Informs anyone who follows a wallet what it holds, now and after each change.
///
/// One connection listens for all of them (`functions/events/notify_changes.sql` notifies), and one query at a time
/// reads the wallets that changed, each once however many follow it. So thousands of followers need no more of the
/// database than one, also when the connection was lost and every wallet has to be read again.
public final class BalanceChanges: Service, Sendable {
    private static let channel = "wallet_changes"
    private static let batch = 100
    private static let longestPause: Duration = .seconds(5)

    private let wallet: Wallet
    private let listener: Listener
    private let logger: Logger
    private let followed = Mutex(BalanceSubscribers())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Makes the service; no update is sent before ``run()``.
    ///
    /// - Parameters:
    ///   - wallet: What is read.
    ///   - connection: How the listening connection reaches the server; behind a transaction pooler it must lead past
    ///     it.
    ///   - logger: Logs failures.
    public init(wallet: Wallet, connection: ConnectionConfiguration, logger: Logger) {
        self.wallet = wallet
        self.listener = Listener(configuration: connection, channels: [Self.channel], logger: logger)
        self.logger = logger
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows a user's wallet: an update comes soon and then after each change.
    ///
    /// SQL: `functions/accounts/caller_account.sql`: a user first seen gets an account, so that there is a
    /// wallet to follow.
    ///
    /// - Parameters:
    ///   - caller: Whose wallet.
    ///   - environment: Which of the user's wallets.
    ///   - tell: Takes the updates, from any task and one after the other; must not block. The same balance may come
    ///     twice.
    /// - Returns: What keeps the updates coming for as long as it is held.
    /// - Throws: ``WalletError`` 401 `unauthenticated`, 503 when the database does not answer.
    public func follow(
        _ caller: Caller,
        in environment: WalletEnvironment,
        tell: @escaping @Sendable (BalanceUpdate) -> Void
    ) async throws -> BalanceSubscription {
        let key = BalanceSubscribers.Key(accountID: try await self.wallet.account(of: caller), environment: environment)
        let id = self.followed.withLock { $0.add(caller.user, key, tell) }
        self.wake.yield()
        return BalanceSubscription { [weak self] in self?.followed.withLock { $0.remove(id, from: key) } }
    }

    /// Listens and reads until shutdown.
    ///
    /// - Throws: Nothing; declared by the protocol.
    public func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            let events = self.listener.events()
            group.addTask { for await event in events { self.note(event) } }
            group.addTask { await self.readDue() }
            // A listener ends with the service and throws nothing.
            try? await self.listener.run()
            group.cancelAll()
        }
    }

    private func note(_ event: Listener.Event) {
        self.followed.withLock { followed in
            switch event {
            case .resync: followed.noteAll()
            case .notification(let notification):
                // What names no wallet means all of them.
                guard let key = BalanceSubscribers.Key(notification.payload) else { return followed.noteAll() }
                followed.note(key)
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

    /// Reads wallets and updates their followers; false when it has to be done again.
    private func read(_ due: [BalanceSubscribers.Due]) async -> Bool {
        do {
            let news = try await self.wallet.news(of: due)
            for (due, news) in zip(due, news) {
                for tell in self.followed.withLock({ $0.followers(of: due.key) }) { tell(news) }
            }
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            self.logger.warning("followed wallets could not be read", error: error)
            self.followed.withLock { followed in
                for due in due { followed.note(due.key) }
            }
            return false
        }
    }

    private func pause(_ failures: Int) async {
        // A cancelled pause ends the loop around it.
        try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100 * (1 << min(failures, 6)))))
    }
}

extension BalanceSubscribers.Key {
    /// Reads `<environment> <account id>`.
    init?(_ payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 2, let environment = WalletEnvironment(rawValue: String(parts[0])),
            let accountID = Int64(parts[1])
        else { return nil }
        self.init(accountID: accountID, environment: environment)
    }
}
