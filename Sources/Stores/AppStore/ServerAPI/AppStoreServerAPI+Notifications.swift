public import Foundation
import NIOHTTP1

extension AppStoreServerAPI {
    /// One page of the notifications that the store sent or tried to send.
    public struct NotificationPage: Sendable {
        /// The notifications as the store signed them, not verified yet.
        public let signedPayloads: [String]
        /// The token of the next page; nil on the last page.
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

    /// Returns a page of the notifications of a time span, whether they were delivered or not.
    ///
    /// The store keeps notifications for 180 days.
    /// - Parameters:
    ///   - start: The beginning of the span.
    ///   - end: The end of the span.
    ///   - environment: The store environment.
    ///   - page: The `next` token of the previous page; nil for the first page.
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
