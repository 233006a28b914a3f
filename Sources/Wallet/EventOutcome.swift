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
        /// It waits for somebody to become known, or for an administrator.
        case parked
        /// Applying it failed; it will be tried again.
        case failed
    }

    /// The message in the inbox.
    public var inboxID: Int64
    /// How far it has come.
    public var status: Status
    /// Why it is ignored, parked or failed.
    public var reason: String?
    /// Whether it had been received before.
    public var duplicate: Bool
}
