import Foundation
import NIOHTTP1

/// The sender of a notification.
enum NotificationSource: String, Codable, Sendable, CaseIterable {
    case appStore = "app_store"
    case revenueCat = "revenuecat"
    case googlePlay = "google_play"

    /// Returns `true` if the source reports the sales of a store.
    func reportsSales(of store: SandboxStore) -> Bool {
        switch self {
        case .appStore: store == .appStore
        case .googlePlay: store == .googlePlay
        case .revenueCat: true
        }
    }
}

/// A notification to post, with the same body in every attempt.
struct NotificationDraft: Sendable {
    /// The id by which the receiver identifies the notification: notificationUUID, event id, messageId.
    let id: String
    /// The type in the list of notifications, such as `DID_RENEW.BILLING_RECOVERY`.
    let type: String
    let body: Data
}

/// Writes the notifications of one source.
struct NotificationWriter: Sendable {
    let source: NotificationSource
    /// Returns the notifications of an event in their order: none, one or several.
    let write: @Sendable (SandboxEvent) throws -> [NotificationDraft]
    /// Returns the headers of one attempt; proofs that contain a time are created for each attempt.
    let headers: @Sendable (_ body: Data) async throws -> HTTPHeaders

    init(
        source: NotificationSource,
        headers: @escaping @Sendable (_ body: Data) async throws -> HTTPHeaders = { _ in [:] },
        write: @escaping @Sendable (SandboxEvent) throws -> [NotificationDraft]
    ) {
        self.source = source
        self.headers = headers
        self.write = write
    }
}
