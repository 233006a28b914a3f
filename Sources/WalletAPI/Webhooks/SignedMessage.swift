/// The body of an App Store Server Notification.
struct SignedMessage: Decodable {
    /// The notification as the store signed it.
    let signedPayload: String
}
