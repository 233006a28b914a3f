import Synchronization

/// The progress of the creation, for the removal after an interruption.
final class BegunCounts: Sendable {
    private let state = Mutex((classes: 0, users: 0))

    var counts: (classes: Int, users: Int) { self.state.withLock { $0 } }

    func note(class number: Int) {
        self.state.withLock { $0.classes = max($0.classes, number) }
    }

    func note(user number: Int) {
        self.state.withLock { $0.users = max($0.users, number) }
    }
}
