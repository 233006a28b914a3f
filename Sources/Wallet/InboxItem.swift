public import Stores

/// A message of a store that waits in the inbox.
public struct InboxItem: Sendable {
    /// The message in the inbox.
    public var inboxID: Int64
    /// The message as it was read; nil where only its raw form could be kept.
    public var event: StoreEvent?
}
