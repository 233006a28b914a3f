import Stores
import Synchronization

/// Facts that a concurrent closure passes out to its test.
final class Collected: Sendable {
    private let state = Mutex<[StoreFact]>([])

    var list: [StoreFact] { self.state.withLock { $0 } }

    func set(_ facts: [StoreFact]) {
        self.state.withLock { $0 = facts }
    }
}
