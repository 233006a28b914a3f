/// One place at which a wallet is followed; nothing more is told once it is let go.
public final class BalanceSubscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }
}
