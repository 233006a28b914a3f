import Synchronization
import Wallet

/// Holds a stream open: it counts, and learns of its wallet, for as long as this lives.
///
/// So whatever becomes of a response that was never written, its place is free again.
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

    /// What keeps the updates coming.
    var following: BalanceSubscription? {
        get { self.held.withLock { $0 } }
        set { self.held.withLock { $0 = newValue } }
    }
}
