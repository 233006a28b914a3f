import Foundation
import Synchronization

/// The clock of a `dev` directory: the machine's clock plus an offset.
///
/// The sandbox stores change the offset together with the database's clock.
final class DevClock: Sendable {
    private let offset = Mutex<Int>(0)

    var now: Date { Date().addingTimeInterval(TimeInterval(self.offset.withLock { $0 })) }

    func move(to seconds: Int) {
        self.offset.withLock { $0 = seconds }
    }
}
