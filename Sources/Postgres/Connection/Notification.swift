/// A message another session sent with `NOTIFY`.
public struct Notification: Hashable, Sendable {
    /// The channel it was sent on.
    public let channel: String
    /// What it says; empty when nothing was given.
    public let payload: String
}
