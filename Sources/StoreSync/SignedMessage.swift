/// The body of an App Store Server Notification.
public struct SignedMessage: Decodable {
    /// The notification as the store signed it.
    public let signedPayload: String
}
