public import Logging
import Metrics
public import Stores
public import Wallet

/// Receives the stores' messages: stores each message, then applies it, with a lookup at the store if necessary.
///
/// A message that cannot be applied now is retried by ``work(limit:)``, on any instance.
public struct Inbox: Sendable {
    let wallet: Wallet
    let stores: StoreClients
    /// Logs messages that fail.
    public let logger: Logger
    private let metrics = InboxMetrics()

    /// Creates an inbox.
    ///
    /// - Parameters:
    ///   - wallet: The wallet to which the messages are applied.
    ///   - stores: The clients for lookups.
    ///   - logger: Logs messages that fail.
    public init(wallet: Wallet, stores: StoreClients, logger: Logger) {
        self.wallet = wallet
        self.stores = stores
        self.logger = logger
    }

    /// Stores a message and applies it if possible.
    ///
    /// The call waits at most a few seconds for a message that needs a lookup at the store, since senders time out
    /// quickly. After that, the lookup continues in the background.
    ///
    /// - Parameter event: The authenticated and parsed message.
    /// - Throws: ``WalletError`` 503 when it could not be stored; the sender must send it again.
    public func take(_ event: StoreEvent) async throws {
        guard event.ignored != Self.notStored else { return }
        let received = ContinuousClock.now
        let outcome = try await self.wallet.receive(event)
        self.metrics.note(event, outcome, since: received)
        guard outcome.status == .new else { return }
        let (done, finished) = AsyncStream.makeStream(of: Never.self)
        Task {
            await self.resolve(Message(inboxID: outcome.inboxID, event: event, received: received))
            finished.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in done {} }
            group.addTask { _ = try? await Task.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Applies messages that are due for another attempt.
    ///
    /// - Parameter limit: The maximum number of messages.
    /// - Returns: The number of due messages that it took.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func work(limit: Int) async throws -> Int {
        let leaseEnd = ContinuousClock.now.advanced(by: Self.lease)
        let items = try await self.wallet.dueEvents(limit: limit)
        var ready: [Message] = []
        // Another instance may have taken the rest after the lease expires.
        for item in items where ContinuousClock.now < leaseEnd {
            guard let event = await self.event(in: item.content) else {
                try await self.wallet.fail(item.inboxID, reason: "unreadable", retryAfter: nil)
                continue
            }
            let asks = event.question != nil || event.consumptionRequest != nil || event.refundReview != nil
            let received = item.age.map { ContinuousClock.now - .seconds($0.isFinite ? min(max($0, 0), 1e9) : 0) }
            let message = Message(inboxID: item.inboxID, event: event, received: received)
            if !asks { ready.append(message) }
            // Messages are applied in the order in which they were due.
            guard asks || ready.count == Self.batch else { continue }
            await self.apply(ready)
            ready.removeAll()
            if asks { await self.resolve(message) }
        }
        await self.apply(ready)
        return items.count
    }

    /// A stored message to apply.
    private struct Message {
        let inboxID: Int64
        let event: StoreEvent
        /// The time of receipt; nil if it is no longer known.
        let received: ContinuousClock.Instant?
    }

    private static let notStored = "not-stored"
    private static let patience: Duration = .seconds(3)
    private static let lease: Duration = .seconds(40)
    private static let batch = 20

    /// Applies messages that need no lookup as one batch; records each failure on its message.
    private func apply(_ messages: [Message]) async {
        guard !messages.isEmpty else { return }
        let results = await self.wallet.process(messages.map { ($0.inboxID, $0.event) })
        for (message, result) in zip(messages, results) {
            switch result {
            case .success(let outcome): self.metrics.note(message.event, outcome, since: message.received)
            case .failure(let error): await self.note(error, of: message.inboxID, type: message.event.type)
            }
        }
    }

    /// Performs the lookups, then applies the message; records a failure on the message.
    private func resolve(_ message: Message) async {
        do {
            let answered = try await self.answer(message.event, received: message.received)
            let outcome = try await self.wallet.process(message.inboxID, as: answered)
            self.metrics.note(message.event, outcome, since: message.received)
        } catch {
            await self.note(error, of: message.inboxID, type: message.event.type)
        }
    }

    private func note(_ error: any Error, of inboxID: Int64, type: String) async {
        let reason = "\(error)"
        self.logger.warning(
            "A store's message failed and will be retried",
            metadata: ["inbox_id": "\(inboxID)", "type": "\(type)", "error": "\(reason)"]
        )
        do {
            let failure = error as? StoreError
            try await self.wallet.fail(
                inboxID,
                reason: reason,
                retryAfter: failure?.retryAfter ?? (error as? UnknownPurchase)?.retryAfter,
                isTried: failure?.isUnasked != true
            )
        } catch {
            // The lease of the message expires, and then it is retried.
            self.logger.warning("A message could not be marked as failed", metadata: ["inbox_id": "\(inboxID)"])
        }
    }
}

/// Measures the stores' messages: the outcome of each attempt, and the time from receipt to application.
private struct InboxMetrics: Sendable {
    private struct Series: Sendable {
        let outcomes: [EventOutcome.Status: Counter]
        let lag: Timer

        init(_ source: StoreEvent.Source) {
            let statuses: [EventOutcome.Status] = [.new, .processed, .ignored, .awaitingUser, .failed, .quarantined]
            self.outcomes = Dictionary(
                uniqueKeysWithValues: statuses.map { status in
                    let labels = [("source", source.rawValue), ("status", status.rawValue)]
                    return (status, Counter(label: "wallet_inbox_attempts_total", dimensions: labels))
                }
            )
            self.lag = Timer(label: "wallet_inbox_lag_seconds", dimensions: [("source", source.rawValue)])
        }
    }

    private let series: [StoreEvent.Source: Series]

    init() {
        let sources: [StoreEvent.Source] = [.appStore, .revenueCat, .googlePlay]
        self.series = Dictionary(uniqueKeysWithValues: sources.map { ($0, Series($0)) })
    }

    /// Records an attempt at a message.
    ///
    /// - Parameters:
    ///   - event: The message.
    ///   - outcome: The result; a duplicate is not counted.
    ///   - start: The time of receipt; nil if it is no longer known.
    func note(_ event: StoreEvent, _ outcome: EventOutcome, since start: ContinuousClock.Instant?) {
        guard !outcome.duplicate, let series = self.series[event.source] else { return }
        series.outcomes[outcome.status]?.increment()
        guard outcome.status == .processed, let start else { return }
        series.lag.record(duration: start.duration(to: .now))
    }
}
