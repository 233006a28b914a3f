import Synchronization
import Wallet

/// Keeps a stream open and counted for the lifetime of this object.
///
/// So the slot is freed even if the response was never written.
final class StreamSlot: Sendable {
    let stream: BalanceStream
    private let onLeave: @Sendable () -> Void
    private let held = Mutex<BalanceSubscription?>(nil)

    init(_ stream: BalanceStream, onLeave: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.onLeave = onLeave
    }

    deinit {
        self.onLeave()
    }

    /// The subscription that delivers the updates.
    var following: BalanceSubscription? {
        get { self.held.withLock { $0 } }
        set { self.held.withLock { $0 = newValue } }
    }
}
