/// One place at which a wallet is followed; nothing more is reported once it is let go.
public final class BalanceSubscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }
}
