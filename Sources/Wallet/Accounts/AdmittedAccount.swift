import Foundation
import Synchronization

/// A cache for the account of one token's user.
///
/// A booking of a cached account needs no lookup of the user and the token. Each booking checks the account's current
/// state. If the account was deleted or merged, the booking is refused and the token is looked up again.
public final class AdmittedAccount: Sendable {
    /// An account.
    ///
    /// The opening time distinguishes it from another account with the same number in a restored database.
    struct Identity: Sendable {
        let id: Int64
        let openedAt: Date
    }

    private let identity = Mutex<Identity?>(nil)

    /// Creates an empty cache.
    public init() {}

    /// The account; `nil` before the first booking with the token.
    var known: Identity? { self.identity.withLock { $0 } }

    /// Stores an account, or removes the stored one.
    ///
    /// - Parameter identity: The account; `nil` to remove the stored one.
    func remember(_ identity: Identity?) {
        self.identity.withLock { $0 = identity }
    }
}
