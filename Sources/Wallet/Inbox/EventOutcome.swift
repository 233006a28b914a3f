/// What became of one message of a store.
public struct EventOutcome: Sendable, Equatable {
    /// Says how far a message has come.
    public enum Status: String, Sendable {
        /// Stored; somebody must ask the store before it can be applied.
        case new
        /// Applied.
        case processed
        /// Nothing in it concerns the wallet.
        case ignored
        /// It waits for somebody to become known.
        case parked
        /// Applying it failed; it will be tried again.
        case failed
        /// It failed too often or cannot be read: an administrator should look at it.
        case quarantined
    }

    /// The message in the inbox.
    public var inboxID: Int64
    /// How far it has come.
    public var status: Status
    /// Why it is ignored, parked, failed or quarantined.
    public var reason: String?
    /// Whether it had been received before.
    public var duplicate: Bool
}
