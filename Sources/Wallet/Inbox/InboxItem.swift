public import Foundation
public import Stores

/// A store's message that waits in the inbox.
public struct InboxItem: Sendable {
    /// The content of a message.
    public enum Content: Sendable {
        /// The decoded message.
        case event(StoreEvent)
        /// The original message, which could not be decoded when it arrived.
        case raw(Data, from: StoreEvent.Source)
        /// A message that neither this release nor an earlier one could decode.
        case unknown
    }

    /// The message's id in the inbox.
    public var inboxID: Int64
    /// The content of the message.
    public var content: Content
    /// The number of seconds since the message was received; `nil` if unknown.
    public var age: Double?
}
