public import Foundation

/// Reads Google Play's real-time developer notifications, as Pub/Sub pushes them.
///
/// Who pushed one is proved by the token in the request's header, which is not looked at here. A notification says what
/// to ask about; ``GooglePlayAPI/answer(_:)`` asks.
public struct GooglePlayNotifications: Sendable {
    private static let maximumBodyBytes = 256 * 1_024

    private let packageName: String

    /// Creates a reader.
    /// - Parameter packageName: the package name of the app whose notifications are taken.
    public init(packageName: String) {
        self.packageName = packageName
    }

    /// Reads the body of a push.
    ///
    /// A type that this build does not know is no error: it comes back as ignored, with its id.
    /// - Parameter pushBody: the body's bytes.
    /// - Returns: a question to the store, or why there is none.
    /// - Throws: ``StoreError``: `unreadable` for a body that is no push of a notification, `wrongApp` for one about
    ///   another app.
    public func event(from pushBody: Data) throws(StoreError) -> StoreEvent {
        guard pushBody.count <= Self.maximumBodyBytes else { throw StoreError(.unreadable) }
        let push = try StoreDocument(parsing: pushBody)
        let message = try push.object("message").orUnreadable()
        let messageID = try message.identifier(message["messageId"] == nil ? "message_id" : "messageId")
        let id = "\(try push.text("subscription").orUnreadable()) \(try messageID.orUnreadable())"
        guard case .text(let encoded)? = message["data"], let data = Data(base64Encoded: encoded) else {
            throw StoreError(.unreadable)
        }
        let record = try StoreDocument(parsing: data)
        let packageName = try record.text("packageName").orUnreadable()
        guard packageName == self.packageName else { throw StoreError(.wrongApp) }
        return try GooglePlayNotification(record: record, id: id).event()
    }
}
