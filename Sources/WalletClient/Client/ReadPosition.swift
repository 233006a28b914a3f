import Foundation

/// How far a client has seen the books, as the server's `Wallet-Position` says.
///
/// Calls and streams of a client share it.
final class ReadPosition: @unchecked Sendable {
    /// What a request carries, and whether something came between it and its answer.
    struct Mark: Hashable, Sendable {
        fileprivate(set) var token = "latest"
        fileprivate var forgotten = 0
    }

    /// The header's name.
    static let header = "wallet-position"

    private let lock = NSLock()
    private var state = Mark()

    /// What the next request carries.
    var mark: Mark { self.lock.withLock { self.state } }

    /// Takes what came of a call.
    ///
    /// - Parameters:
    ///   - answered: What the answer says; nil where none came, or one that does not say it. The call may have changed the
    ///     books all the same, and another instance may know no standbys.
    ///   - sent: What the request carried.
    func take(_ answered: String?, sent: Mark) {
        self.lock.withLock {
            guard let answered else { return self.state.forget() }
            // Nothing came between, so the server knows better, also after it lost what it had written last. Otherwise
            // what has seen more counts, and that is the greater text; "latest" is the greatest.
            self.state.token = sent == self.state ? answered : max(self.state.token, answered)
        }
    }

    /// Asks for the newest next, as something was seen or done of which no answer says where it stands.
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
