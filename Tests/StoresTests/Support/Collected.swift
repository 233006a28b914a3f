import Stores
import Synchronization

/// Facts carried out of a closure that runs elsewhere.
final class Collected: Sendable {
    private let state = Mutex<[StoreFact]>([])

    var list: [StoreFact] { self.state.withLock { $0 } }

    func set(_ facts: [StoreFact]) {
        self.state.withLock { $0 = facts }
    }
}
