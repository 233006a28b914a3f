import Foundation
import Synchronization
import WalletClient

/// The open streams of balances.
final class Streams: Sendable {
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
