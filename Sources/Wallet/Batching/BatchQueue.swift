import Synchronization
import Tracing

/// Collects what arrives while a batch is under way and hands it over as the next batch.
///
/// There is no timer and no delay when alone: an item that finds no batch under way is a batch of one. Items are handed
/// over in order of arrival.
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
    }

    /// How many batches a worker decides before others may have what it stays on.
    private static var batchesPerTurn: Int { 64 }

    private let state = Mutex(State())
    private let configuration: BatchingConfiguration
    private let stay: @Sendable (_ turn: @Sendable () async -> Bool) async -> Bool
    private let decide: @Sendable ([Item]) async -> [Result<Outcome, WalletError>]
    private let metrics: QueueMetrics?
    private let tracing: QueueTracing?

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - configuration: How large batches and queue may get.
    ///   - metrics: Learns of batches and of waiting.
    ///   - tracing: Makes spans of both, nil for none.
    ///   - stay: Runs a worker's turn of some batches wherever it is best decided.
    ///   - decide: Decides a batch; answers each item, in order.
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

    /// Waits in the queue and then for the item's batch.
    ///
    /// Once its batch has started the item is decided, whether or not anybody still waits for it.
    ///
    /// - Parameter item: What is to be decided.
    /// - Returns: What was decided.
    /// - Throws: ``WalletError`` 503 `overloaded` at once when the queue is full, and when the item's patience ends
    ///   before its batch starts; else what deciding ended with.
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
            if isFirst { self.startWorking() }
        }
        if let span { QueueTracing.end(span, failed: result.failure) }
        return try result.get()
    }

    /// Keeps batches from starting, so that what arrives forms one.
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

    /// How many items wait for a batch.
    var depth: Int { self.state.withLock { $0.waiting.count } }

    private func mayStart(_ state: inout State) -> Bool {
        guard !state.isHeld, !state.waiting.isEmpty, state.working < self.configuration.workers else { return false }
        state.working += 1
        return true
    }

    /// Begins a worker, in nobody's name: it goes on for others than the one whose item began it.
    private func startWorking() {
        Task.detached { await self.work() }
    }

    private func work() async {
        while await self.stay({ await self.takeTurn() }) {}
    }

    /// Decides some batches.
    ///
    /// - Returns: Whether the worker goes on.
    private func takeTurn() async -> Bool {
        for _ in 0..<Self.batchesPerTurn {
            guard let batch = self.nextBatch() else { return false }
            let now = ContinuousClock.now
            let late = batch.filter { $0.deadline <= now }
            let timely = batch.filter { $0.deadline > now }
            for waiting in late { waiting.continuation.resume(returning: .failure(.overloaded)) }
            guard !timely.isEmpty else { continue }
            self.metrics?.note(timely.lazy.map { $0.deadline - self.configuration.patience }, at: now)
            let results = await self.results(of: timely)
            precondition(results.count == timely.count, "a batch is answered item by item")
            // Beside the next batch, which is not to wait until all have their answers.
            Task { for (waiting, result) in zip(timely, results) { waiting.continuation.resume(returning: result) } }
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

    /// Takes what waits, or ends this worker when nothing does.
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
    /// More is asked than is answered in time; nothing was decided.
    static let overloaded = WalletError(status: 503, slug: "overloaded", retryAfter: 1)
}
