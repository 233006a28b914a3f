import Foundation
import Synchronization

/// The clock that a story's stores and their readers share.
final class StoreClock: Sendable {
    private let offset = Mutex(0)

    var now: Date { Date().addingTimeInterval(Double(self.offset.withLock { $0 })) }

    var instant: ContinuousClock.Instant { .now.advanced(by: .seconds(self.offset.withLock { $0 })) }

    func move(to offset: Int) {
        self.offset.withLock { $0 = offset }
    }
}
