/// The result for one message of a store.
public struct EventOutcome: Sendable, Equatable {
    /// The state of a message.
    public enum Status: String, Sendable {
        /// Stored; the service must query the store before it can apply the message.
        case new
        /// Applied.
        case processed
        /// The message does not concern the wallet.
        case ignored
        /// Waits until its user is known.
        case awaitingUser = "awaiting_user"
        /// Could not be applied; will be tried again.
        case failed
        /// Failed too often or cannot be read; an administrator should check it.
        case quarantined
    }

    /// The message's id in the inbox.
    public var inboxID: Int64
    /// The state of the message.
    public var status: Status
    /// The reason why the message is ignored, awaiting its user, failed or quarantined.
    public var reason: String?
    /// A Boolean value that indicates whether the message had been received before.
    public var duplicate: Bool
}
