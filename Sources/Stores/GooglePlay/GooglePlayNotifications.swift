public import Foundation

/// Reads Google Play's real-time developer notifications, as Pub/Sub pushes them.
///
/// The token in the request's header authenticates the sender; it is checked elsewhere. A notification names the
/// purchase to look up; ``GooglePlayAPI/answer(_:)`` performs the lookup.
public struct GooglePlayNotifications: Sendable {
    private static let maximumBodyBytes = 256 * 1_024

    private let packageName: String

    /// Creates a reader.
    /// - Parameter packageName: The package name of the app whose notifications are accepted.
    public init(packageName: String) {
        self.packageName = packageName
    }

    /// Reads the body of a push.
    ///
    /// An unknown type is not an error: it is returned as ignored, with its id.
    /// - Parameter pushBody: The body's bytes.
    /// - Returns: An event with a lookup, or with the reason why there is nothing to look up.
    /// - Throws: ``StoreError``: `unreadable` if the body is not a pushed notification, `wrongApp` if it is about
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
