public import Foundation
public import Stores

/// A message of a store that waits in the inbox.
public struct InboxItem: Sendable {
    /// What a message said.
    public enum Content: Sendable {
        /// The message as it was read.
        case event(StoreEvent)
        /// The message as it came, since nobody could read it then.
        case raw(Data, from: StoreEvent.Source)
        /// What neither this release nor an earlier one made of it.
        case unknown
    }

    /// The message in the inbox.
    public var inboxID: Int64
    /// What it said.
    public var content: Content
    /// How many seconds ago it was received; nil where that is not known any more.
    public var age: Double?
}
