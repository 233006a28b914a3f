import Foundation
import NIOHTTP1

/// Who posts notifications.
enum NotificationSource: String, Codable, Sendable, CaseIterable {
    case appStore = "app_store"
    case revenueCat = "revenuecat"
    case googlePlay = "google_play"

    /// Whether it reports what a store sold.
    func reportsSales(of store: SandboxStore) -> Bool {
        switch self {
        case .appStore: store == .appStore
        case .googlePlay: store == .googlePlay
        case .revenueCat: true
        }
    }
}

/// A notification as it is posted, every time with the same body.
struct NotificationDraft: Sendable {
    /// The id that the receiver knows it by: notificationUUID, event id, messageId.
    let id: String
    /// What the list of notifications calls it, such as `DID_RENEW.BILLING_RECOVERY`.
    let type: String
    let body: Data
}

/// Writes one source's notifications.
struct NotificationWriter: Sendable {
    let source: NotificationSource
    /// The notifications of a happening in their order: none, one or several.
    let write: @Sendable (SandboxEvent) throws -> [NotificationDraft]
    /// The headers of one attempt; proofs that hold a time are made again for each.
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
