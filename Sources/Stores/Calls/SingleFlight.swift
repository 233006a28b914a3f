import Synchronization

/// Lets concurrent callers with the same key share one piece of work.
///
/// The work runs in a separate task, so it continues when a caller is cancelled, including the one that started it. A
/// cancelled caller returns immediately.
final class SingleFlight<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, StoreError>
    private typealias Waiter = CheckedContinuation<Outcome, Never>

    private enum Joining {
        case began
        case joined
        case cancelled(Waiter)
    }

    private struct State {
        var flights: [String: [Int: Waiter]] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    /// Runs the work, or waits for the same work if it is already running.
    /// - Parameters:
    ///   - key: The key that identifies the work.
    ///   - work: The work; it must end by itself.
    /// - Returns: The work's outcome; a cancelled caller gets the error `unavailable`.
    func run(_ key: String, work: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let number = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                switch self.join(key, number: number, waiter: waiter) {
                case .began: Task { self.land(key, with: await work()) }
                case .joined: break
                case .cancelled(let waiter): waiter.resume(returning: Self.sentAway)
                }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.flights[key]?.removeValue(forKey: number) }
            waiter?.resume(returning: Self.sentAway)
        }
    }

    /// Returns `true` if work with this key is running, so that another caller would only join it.
    func isUnderWay(_ key: String) -> Bool {
        self.state.withLock { $0.flights[key] != nil }
    }

    // Cancellation is checked inside the lock: either the handler finds the waiter, or it ran before and the check sees
    // it.
    private func join(_ key: String, number: Int, waiter: Waiter) -> Joining {
        self.state.withLock { state in
            if Task.isCancelled { return .cancelled(waiter) }
            guard state.flights[key] == nil else {
                state.flights[key]?[number] = waiter
                return .joined
            }
            state.flights[key] = [number: waiter]
            return .began
        }
    }

    private func land(_ key: String, with outcome: Outcome) {
        let waiters = self.state.withLock { $0.flights.removeValue(forKey: key) } ?? [:]
        for waiter in waiters.values {
            waiter.resume(returning: outcome)
        }
    }

    private static var sentAway: Outcome { .failure(StoreError(.unavailable, retryAfter: 1)) }
}
