import Foundation
import Synchronization

/// The clock of a story's stores, which their readers go by too.
final class StoreClock: Sendable {
    private let offset = Mutex(0)

    var now: Date { Date().addingTimeInterval(Double(self.offset.withLock { $0 })) }

    var instant: ContinuousClock.Instant { .now.advanced(by: .seconds(self.offset.withLock { $0 })) }

    func move(to offset: Int) {
        self.offset.withLock { $0 = offset }
    }
}
