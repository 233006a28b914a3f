import Foundation
import Synchronization

/// A clock that moves only when a test advances it.
final class TestClock: Sendable {
    private let instant = Mutex(TokenForge.now)

    @Sendable
    func now() -> Date { self.instant.withLock { $0 } }

    func advance(_ seconds: Double) { self.instant.withLock { $0 += seconds } }
}
