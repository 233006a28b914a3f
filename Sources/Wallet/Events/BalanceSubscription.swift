/// A subscription to a wallet's balance; it ends when the object is released.
public final class BalanceSubscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }
}
