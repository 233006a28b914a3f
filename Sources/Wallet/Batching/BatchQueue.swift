import Synchronization
import Tracing

/// Collects items that arrive while a batch is running and passes them on as the next batch.
///
/// The queue adds no delay: an item that arrives while no batch is running forms a batch alone. Items are passed on in
/// order of arrival. An item that waits too long is refused at its deadline, however long the running batch takes.
final class BatchQueue<Item: Sendable, Outcome: Sendable>: Sendable {
    /// An object, so that moving it between queue and batch copies one reference.
    private final class Waiting: Sendable {
        let item: Item
        let deadline: ContinuousClock.Instant
        let span: (any Span)?
        let continuation: CheckedContinuation<Result<Outcome, WalletError>, Never>

        init(
            _ item: Item,
            before deadline: ContinuousClock.Instant,
            span: (any Span)?,
            _ continuation: CheckedContinuation<Result<Outcome, WalletError>, Never>
        ) {
            self.item = item
            self.deadline = deadline
            self.span = span
            self.continuation = continuation
        }
    }

    private struct State {
        var waiting: [Waiting] = []
        var working = 0
        var isHeld = false
        var isWatched = false
    }

    /// The number of batches that a worker decides before it releases its connection to others.
    private static var batchesPerTurn: Int { 64 }

    private let state = Mutex(State())
    private let configuration: BatchingConfiguration
    private let stay: @Sendable (_ turn: @Sendable () async -> Bool) async -> Bool
    private let decide: @Sendable ([Item]) async -> [Result<Outcome, WalletError>]
    private let metrics: QueueMetrics?
    private let tracing: QueueTracing?

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - configuration: The limits for the batches and the queue.
    ///   - metrics: Records batches and waiting times; `nil` for no metrics.
    ///   - tracing: Creates spans for batches and waiting times; `nil` for no spans.
    ///   - stay: Runs a worker's turn of several batches, for example on a pinned connection.
    ///   - decide: Decides a batch and returns a result for each item, in order.
    init(
        _ configuration: BatchingConfiguration,
        metrics: QueueMetrics? = nil,
        tracing: QueueTracing? = nil,
        stay: @escaping @Sendable (_ turn: @Sendable () async -> Bool) async -> Bool = { await $0() },
        decide: @escaping @Sendable ([Item]) async -> [Result<Outcome, WalletError>]
    ) {
        self.configuration = configuration
        self.stay = stay
        self.decide = decide
        self.metrics = metrics
        self.tracing = tracing
    }

    /// Waits in the queue and then for the decision of the item's batch.
    ///
    /// Once its batch has started, the item is decided even if its caller no longer waits.
    ///
    /// - Parameter item: The item to decide.
    /// - Returns: The outcome.
    /// - Throws: ``WalletError`` 503 `overloaded` at once if the queue is full, and after the configured patience if
    ///   the item's batch has not started; otherwise the error of the decision.
    func submit(_ item: Item) async throws(WalletError) -> Outcome {
        let deadline = ContinuousClock.now + self.configuration.patience
        let span = self.tracing?.submitted()
        let result: Result<Outcome, WalletError> = await withCheckedContinuation { continuation in
            let waiting = Waiting(item, before: deadline, span: span, continuation)
            let isFirst: Bool? = self.state.withLock { state in
                guard state.waiting.count < self.configuration.queueLimit else { return nil }
                state.waiting.append(waiting)
                return self.mayStart(&state)
            }
            guard let isFirst else { return continuation.resume(returning: .failure(.overloaded)) }
            if isFirst { self.startWorking() } else { self.watch() }
        }
        if let span { QueueTracing.end(span, failed: result.failure) }
        return try result.get()
    }

    /// Keeps batches from starting, so that arriving items form one batch.
    func hold() {
        self.state.withLock { $0.isHeld = true }
    }

    /// Lets batches start again.
    func release() {
        let starts = self.state.withLock { state in
            state.isHeld = false
            return self.mayStart(&state)
        }
        if starts { self.startWorking() }
    }

    /// The number of items that wait for a batch.
    var depth: Int { self.state.withLock { $0.waiting.count } }

    private func mayStart(_ state: inout State) -> Bool {
        guard !state.isHeld, !state.waiting.isEmpty, state.working < self.configuration.workers else { return false }
        state.working += 1
        return true
    }

    /// Starts a detached worker, because it also serves items of other requests.
    private func startWorking() {
        Task.detached { await self.work() }
    }

    /// Refuses items at their deadlines until none waits; one task at a time does this.
    private func watch() {
        let isFirst = self.state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        Task.detached {
            while let deadline = self.nextDeadline() {
                try? await Task.sleep(until: deadline)
                self.refuseLate()
            }
        }
    }

    private func nextDeadline() -> ContinuousClock.Instant? {
        self.state.withLock { state in
            state.isWatched = !state.waiting.isEmpty
            return state.waiting.first?.deadline
        }
    }

    private func refuseLate() {
        let now = ContinuousClock.now
        let late = self.state.withLock { state in
            let late = Array(state.waiting.prefix { $0.deadline <= now })
            state.waiting.removeFirst(late.count)
            return late
        }
        for waiting in late { waiting.continuation.resume(returning: .failure(.overloaded)) }
    }

    private func work() async {
        while await self.stay({ await self.takeTurn() }) {}
    }

    /// Decides several batches.
    ///
    /// - Returns: A Boolean value that indicates whether the worker continues.
    private func takeTurn() async -> Bool {
        for _ in 0..<Self.batchesPerTurn {
            // The task that watches the deadlines may be late itself.
            self.refuseLate()
            guard let batch = self.nextBatch() else { return false }
            self.metrics?.note(batch.lazy.map { $0.deadline - self.configuration.patience }, at: .now)
            let results = await self.results(of: batch)
            precondition(results.count == batch.count, "a batch is answered item by item")
            // Runs concurrently with the next batch, which must not wait until all callers have their results.
            Task { for (waiting, result) in zip(batch, results) { waiting.continuation.resume(returning: result) } }
        }
        return true
    }

    private func results(of batch: [Waiting]) async -> [Result<Outcome, WalletError>] {
        let items = batch.map(\.item)
        guard let span = self.tracing?.started(batch.compactMap(\.span), size: batch.count) else {
            return await self.decide(items)
        }
        defer { span.end() }
        return await ServiceContext.withValue(span.context) { await self.decide(items) }
    }

    /// Takes the next batch, or ends this worker if no items wait.
    private func nextBatch() -> [Waiting]? {
        self.state.withLock { state in
            guard !state.isHeld, !state.waiting.isEmpty else {
                state.working -= 1
                return nil
            }
            let batch = Array(state.waiting.prefix(self.configuration.batchLimit))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}

extension Result where Failure == WalletError {
    fileprivate var failure: WalletError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension WalletError {
    /// The service is overloaded: the item could not be decided in time, and nothing was decided.
    static let overloaded = WalletError(status: 503, slug: "overloaded", retryAfter: 1)
}

/// The limits for deciding waiting bookings and cancellations in batches.
public struct BatchingConfiguration: Sendable {
    /// The maximum number of items in a batch (`BOOKING_BATCH_LIMIT`).
    public var batchLimit: Int
    /// The maximum number of concurrent batches (`BOOKING_WORKERS`); more workers make smaller batches.
    public var workers: Int
    /// The maximum number of waiting items; further items are refused at once (`BOOKING_QUEUE_LIMIT`).
    public var queueLimit: Int
    /// The maximum time that an item waits for its batch to start (`BOOKING_QUEUE_TIMEOUT`, in seconds).
    public var patience: Duration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - batchLimit: The maximum number of items in a batch.
    ///   - workers: The maximum number of concurrent batches.
    ///   - queueLimit: The maximum number of waiting items.
    ///   - patience: The maximum time that an item waits for its batch to start.
    public init(
        batchLimit: Int = 32,
        workers: Int = 1,
        queueLimit: Int = 4_096,
        patience: Duration = .seconds(5)
    ) {
        self.batchLimit = batchLimit
        self.workers = workers
        self.queueLimit = queueLimit
        self.patience = patience
    }
}

extension BatchingConfiguration {
    /// Returns the limits for deciding the stores' facts and messages in batches.
    ///
    /// Applying one is heavy, so two batches may run at the same time, and a batch is small. PostgreSQL caches up to 64
    /// subtransactions of a transaction, and each item needs two of them.
    ///
    /// - Parameter patience: The maximum time that an item waits for its batch to start.
    /// - Returns: The limits.
    static func facts(patience: Duration) -> Self { Self(batchLimit: 24, workers: 2, patience: patience) }
}

/// Creates spans for the time that items wait in a queue, and for their batches.
///
/// A batch serves several requests. Its span is a child of the first recorded item's span; the batch's span and the
/// spans of the other items link to each other.
struct QueueTracing: Sendable {
    let tracer: any Tracer
    let queue: String

    /// Creates the tracing of a queue; returns `nil` without a tracer.
    init?(_ tracer: (any Tracer)?, queue: String) {
        guard let tracer else { return nil }
        self.tracer = tracer
        self.queue = queue
    }

    /// Starts the span of an item in the queue; returns `nil` if the item is not recorded.
    func submitted() -> (any Span)? {
        guard let context = ServiceContext.current else { return nil }
        let span = self.tracer.startSpan("\(self.queue) queue", context: context, ofKind: .internal)
        guard span.isRecording else { return nil }
        span.attributes["wallet.queue.name"] = self.queue
        return span
    }

    /// Starts the span of a batch; returns `nil` if none of its items is recorded.
    ///
    /// - Parameters:
    ///   - items: The spans of its items.
    ///   - size: The number of its items.
    /// - Returns: The batch's span.
    func started(_ items: [any Span], size: Int) -> (any Span)? {
        guard let first = items.first else { return nil }
        let span = self.tracer.startSpan("\(self.queue) batch", context: first.context, ofKind: .internal)
        span.updateAttributes { attributes in
            attributes["wallet.queue.name"] = self.queue
            attributes["wallet.batch.size"] = size
        }
        for item in items.dropFirst() {
            span.addLink(SpanLink(context: item.context, attributes: [:]))
            item.addLink(SpanLink(context: span.context, attributes: [:]))
        }
        return span
    }

    /// Ends the span of an item.
    static func end(_ span: any Span, failed error: WalletError?) {
        if let error {
            span.attributes["error.type"] = error.slug
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}
