public import Foundation
import NIOHTTP1

extension AppStoreServerAPI {
    /// One page of the notifications that the store sent, or tried to send.
    public struct NotificationPage: Sendable {
        /// The notifications as the store signed them, not verified yet.
        public let signedPayloads: [String]
        /// Names the next page; nil on the last one.
        public let next: String?
    }

    private struct Span: Encodable {
        let startDate: Int64
        let endDate: Int64
    }

    private struct Answer: Decodable {
        struct Item: Decodable {
            let signedPayload: String
        }

        let notificationHistory: [Item]
        let hasMore: Bool
        let paginationToken: String?
    }

    /// Asks for the notifications of a span of time, whether they arrived or not.
    ///
    /// The store keeps 180 days.
    /// - Parameters:
    ///   - start: The beginning of the span.
    ///   - end: The end of the span.
    ///   - environment: The side of the store.
    ///   - page: What the page before named as the next; nil for the first.
    /// - Returns: A page of notifications.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``.
    public func notifications(
        from start: Date,
        to end: Date,
        on environment: StoreEnvironment,
        page: String? = nil
    ) async throws(StoreError) -> NotificationPage {
        let span = Span(startDate: start.millisecondsSince1970, endDate: end.millisecondsSince1970)
        guard let body = try? JSONEncoder().encode(span) else { throw StoreError(.unreadable) }
        var path = "/inApps/v1/notifications/history"
        if let page { path += "?paginationToken=\(try Self.segment(page))" }
        let question = AppStoreServerQuestion(operation: .appStoreNotifications, method: .POST, path: path, body: body)
        let answer = try self.read(Answer.self, from: try await self.ask(question, of: environment))
        guard answer.hasMore else {
            return NotificationPage(signedPayloads: answer.notificationHistory.map(\.signedPayload), next: nil)
        }
        guard let next = answer.paginationToken, next != page else {
            throw self.disagreement("paginationToken", of: environment)
        }
        return NotificationPage(signedPayloads: answer.notificationHistory.map(\.signedPayload), next: next)
    }
}
