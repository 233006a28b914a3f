import Foundation
import Synchronization
public import WalletClient

/// A wallet in memory for previews and tests, which sells packs and books classes without a service.
///
/// It applies the rules that a screen shows: the balance, seats, one booking for each class and key, the maximum price,
/// free cancellation, the place on a waitlist. Other methods return values from ``Contents``. Prices and refusals can
/// differ from those of the service; test payments against `credit-wallet dev`.
public actor InMemoryWallet: WalletProtocol {
    /// The selected wallet; both wallets have the same contents.
    public private(set) var environment: WalletEnvironment = .production
    /// The wallet's contents; change them to show other data.
    public var contents: Contents {
        didSet { self.publish() }
    }

    var failure: (any Error)?
    var bookingsByKey: [String: (intent: BookingIntent, id: UUID)] = [:]
    private let streams = Streams()

    /// Creates a wallet.
    /// - Parameter contents: The wallet's contents.
    public init(_ contents: Contents = .sample) {
        self.contents = contents
        self.streams.publish(contents.balance)
    }

    /// Makes every call fail, as without a connection.
    /// - Parameter error: The error that calls throw; nil makes them succeed again.
    public func fail(with error: (any Error)?) {
        self.failure = error
    }

    /// Changes the wallet's contents.
    /// - Parameter change: A closure that changes the contents.
    public func update(_ change: @Sendable (inout Contents) -> Void) {
        change(&self.contents)
    }

    /// Selects another wallet of the user.
    /// - Parameter environment: The wallet.
    public func use(_ environment: WalletEnvironment) {
        self.environment = environment
    }

    /// Returns the current balance and then each change of it.
    public nonisolated func balances() -> AsyncThrowingStream<Balance, any Error> {
        self.streams.open()
    }

    /// Returns the contents; throws if ``fail(with:)`` has set an error.
    func answer() throws -> Contents {
        if let failure = self.failure { throw failure }
        return self.contents
    }

    private func publish() {
        self.streams.publish(self.contents.balance)
    }
}

/// The open streams of balances.
private final class Streams: Sendable {
    private struct State {
        var newest: Balance?
        var readers: [UUID: AsyncThrowingStream<Balance, any Error>.Continuation] = [:]
    }

    private let state = Mutex(State())

    func open() -> AsyncThrowingStream<Balance, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Balance, any Error>
            .makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
        }
        self.state.withLock { state in
            state.readers[id] = continuation
            if let newest = state.newest { continuation.yield(newest) }
        }
        return stream
    }

    /// Sends a balance to all readers if it differs from the previous one.
    func publish(_ balance: Balance) {
        self.state.withLock { state in
            guard state.newest != balance else { return }
            state.newest = balance
            for reader in state.readers.values { reader.yield(balance) }
        }
    }
}
