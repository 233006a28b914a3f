import Foundation

/// The newest database position that a client has seen, from the server's `Wallet-Position` header.
///
/// All calls and streams of a client share one position.
final class ReadPosition: @unchecked Sendable {
    /// The position that a request sends, and the number of resets before it.
    struct Mark: Hashable, Sendable {
        fileprivate(set) var token = "latest"
        fileprivate var forgotten = 0
    }

    /// The header's name.
    static let header = "wallet-position"

    private let lock = NSLock()
    private var state = Mark()

    /// The position to send with the next request.
    var mark: Mark { self.lock.withLock { self.state } }

    /// Updates the position after a call.
    ///
    /// - Parameters:
    ///   - answered: The position in the response; nil if no response came or the response has no position. The call
    ///     may still have changed data, and another server may have no standbys.
    ///   - sent: The position that the request sent.
    func take(_ answered: String?, sent: Mark) {
        self.lock.withLock {
            guard let answered else { return self.state.forget() }
            // If nothing changed since the request was sent, the server's value replaces the position. This also covers
            // a server that lost its last writes. Otherwise the greater text wins, because it is the newer position;
            // "latest" is the greatest.
            self.state.token = sent == self.state ? answered : max(self.state.token, answered)
        }
    }

    /// Requests the newest data next, because the client saw or changed data without receiving its position.
    func forget() {
        self.lock.withLock { self.state.forget() }
    }
}

extension ReadPosition.Mark {
    fileprivate mutating func forget() {
        self.token = "latest"
        self.forgotten += 1
    }
}
