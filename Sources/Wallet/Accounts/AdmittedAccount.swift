import Foundation
import Synchronization

/// Remembers the account that the user of one token was let into.
///
/// A booking of a remembered account needs no look at the user and the token. What has become of the account since is
/// looked at with each booking: once it was deleted or merged, the booking is refused and the token is looked at again.
public final class AdmittedAccount: Sendable {
    /// An account; the instant distinguishes it from another one of its number in a database that was restored.
    struct Identity: Sendable {
        let id: Int64
        let openedAt: Date
    }

    private let identity = Mutex<Identity?>(nil)

    /// Remembers nothing yet.
    public init() {}

    /// The account; nil before a booking was made with the token.
    var known: Identity? { self.identity.withLock { $0 } }

    /// Remembers an account, or forgets it.
    ///
    /// - Parameter identity: The account; nil to forget the one that is remembered.
    func remember(_ identity: Identity?) {
        self.identity.withLock { $0 = identity }
    }
}
