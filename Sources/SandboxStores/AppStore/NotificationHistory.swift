import Foundation
import Hummingbird
import JSON

extension SandboxStores {
    private struct HistoryRequest: Decodable {
        let startDate: Double
        let endDate: Double
        let notificationType: String?
        let notificationSubtype: String?
        let transactionId: String?
        let onlyFailures: Bool?
    }

    private static let pageSize = 20

    /// Adds the endpoint that lists the sent notifications and the app server's responses.
    func addNotificationHistory(of side: SandboxTransaction.Environment, to group: RouterGroup<SandboxContext>) {
        group.post("v1/notifications/history") { request, _ in
            let body = Data(try await request.body.collect(upTo: 65_536).readableBytesView)
            guard let wanted = try? JSONDecoder().decode(HistoryRequest.self, external: body) else {
                throw ServerAPIError.badRequest
            }
            guard wanted.startDate < wanted.endDate else { throw ServerAPIError.startAfterEnd }
            let all = await self.poster.posted.filter { $0.environment == side && Self.matches($0, wanted) }
            let token = request.uri.queryParameters.get("paginationToken")
            let start = try token.map { try Self.start(from: String($0)) } ?? 0
            return Response.apple(.object(Self.page(of: all, from: start)))
        }
    }

    private static func start(from token: String) throws -> Int {
        guard let start = Int(token), start >= 0 else { throw ServerAPIError.invalidPaginationToken }
        return start
    }

    private static func matches(_ notification: PostedNotification, _ wanted: HistoryRequest) -> Bool {
        guard notification.source == NotificationSource.appStore.rawValue else { return false }
        let at = notification.instant.timeIntervalSince1970 * 1_000
        let type = notification.type.split(separator: ".").map(String.init)
        return at >= wanted.startDate && at < wanted.endDate
            && (wanted.notificationType == nil || wanted.notificationType == type.first)
            && (wanted.notificationSubtype == nil || type.dropFirst().first == wanted.notificationSubtype)
            && (wanted.transactionId == nil || notification.transactionIDs.contains(wanted.transactionId ?? ""))
            && (wanted.onlyFailures != true || !notification.wasTaken)
    }

    private static func page(of all: [PostedNotification], from start: Int) -> [String: JSONValue] {
        let rest = all.dropFirst(start)
        var body: [String: JSONValue] = [
            "notificationHistory": .array(rest.prefix(self.pageSize).map(self.item)),
            "hasMore": .bool(rest.count > self.pageSize),
        ]
        if rest.count > self.pageSize { body["paginationToken"] = .text(String(start + self.pageSize)) }
        return body
    }

    private static func item(of notification: PostedNotification) -> JSONValue {
        let body = try? JSONDecoder().decode([String: String].self, from: Data(notification.body.utf8))
        let attempts: [JSONValue] = notification.answers.map { status in
            .object([
                "attemptDate": .milliseconds(notification.instant),
                "sendAttemptResult": .text(self.result(of: status)),
            ])
        }
        return .object([
            "signedPayload": .text(body?["signedPayload"] ?? ""),
            "sendAttempts": .array(attempts),
        ])
    }

    private static func result(of status: Int?) -> String {
        guard let status else { return "NO_RESPONSE" }
        return (200..<300).contains(status) ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    }
}
