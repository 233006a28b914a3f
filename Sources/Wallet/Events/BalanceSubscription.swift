/// One place at which a wallet is followed; no update comes once it is released.
public final class BalanceSubscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        self.onEnd()
    }
}
