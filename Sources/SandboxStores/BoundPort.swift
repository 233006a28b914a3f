import Synchronization

/// The port of a server that may not be listening yet.
final class BoundPort: Sendable {
    private struct State {
        var port: Int?
        var isClosed = false
        var waiters: [CheckedContinuation<Int?, Never>] = []
    }

    private let state = Mutex(State())

    func open(_ port: Int?) {
        self.settle { $0.port = port }
    }

    /// Marks the server as stopped; tasks that wait for the port get nil.
    func close() {
        self.settle { state in
            state.port = nil
            state.isClosed = true
        }
    }

    /// The port; nil while the server is not listening.
    var current: Int? { self.state.withLock { $0.port } }

    func value() async -> Int? {
        await withCheckedContinuation { waiter in
            let port: Int?? = self.state.withLock { state in
                if let port = state.port { return port }
                if state.isClosed { return .some(nil) }
                state.waiters.append(waiter)
                return nil
            }
            if let port { waiter.resume(returning: port) }
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let (waiters, port) = self.state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return (state.waiters, state.port)
        }
        for waiter in waiters {
            waiter.resume(returning: port)
        }
    }
}
