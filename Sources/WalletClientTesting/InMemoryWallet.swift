import Foundation
public import WalletClient

/// A wallet in memory, for previews and tests: it sells packs and books classes, and forgets all of it with the process.
///
/// It keeps the rules that a screen shows: the balance, seats, one booking a class and a key, the highest price, free
/// cancellation, the place on a waitlist. Everything else answers what ``Contents`` holds. Amounts and refusals are
/// the service's own only there: test money against `credit-wallet dev`.
public actor InMemoryWallet: WalletProtocol {
    /// The wallet that is read and written; both have the same contents here.
    public private(set) var environment: WalletEnvironment = .production
    /// What the wallet holds and sells; change it to show something else.
    public var contents: Contents {
        didSet { self.publish() }
    }

    var failure: (any Error)?
    var bookingsByKey: [String: (intent: BookingIntent, id: UUID)] = [:]
    private let streams = Streams()

    /// Creates a wallet.
    /// - Parameter contents: what it holds and sells.
    public init(_ contents: Contents = .sample) {
        self.contents = contents
        self.streams.publish(contents.balance)
    }

    /// Lets every call fail, as without a connection.
    /// - Parameter error: what calls throw; nil lets them succeed again.
    public func fail(with error: (any Error)?) {
        self.failure = error
    }

    /// Changes what the wallet holds and sells.
    /// - Parameter change: the change.
    public func update(_ change: @Sendable (inout Contents) -> Void) {
        change(&self.contents)
    }

    /// Goes on with another wallet of the user.
    /// - Parameter environment: the wallet.
    public func use(_ environment: WalletEnvironment) {
        self.environment = environment
    }

    /// Returns what the wallet holds, now and whenever it changes.
    public nonisolated func balances() -> AsyncThrowingStream<Balance, any Error> {
        self.streams.open()
    }

    /// The contents, unless calls are to fail.
    func answer() throws -> Contents {
        if let failure = self.failure { throw failure }
        return self.contents
    }

    private func publish() {
        self.streams.publish(self.contents.balance)
    }
}
