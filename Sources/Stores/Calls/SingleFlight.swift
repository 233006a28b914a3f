import Synchronization

/// Lets callers who ask the same thing at the same time share one piece of work.
///
/// The work runs in a task of its own, so it goes on when the caller who began it, or any other, is cancelled; the
/// cancelled caller alone is sent away at once.
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

    /// Runs the work, or waits for the same work that is under way.
    /// - Parameters:
    ///   - key: what makes two pieces of work the same.
    ///   - work: the work; it must end by itself.
    /// - Returns: the work's outcome, or an unavailable store for a cancelled caller.
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

    /// Whether the work is under way, so that another caller would only join it.
    func isUnderWay(_ key: String) -> Bool {
        self.state.withLock { $0.flights[key] != nil }
    }

    // Cancellation is looked at inside the lock: the handler either finds the waiter there, or ran before and is seen.
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
