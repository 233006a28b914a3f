import Foundation
import Hummingbird

/// A written notification and the receiver's answers.
struct PostedNotification: ResponseEncodable, Sendable {
    let source: String
    let id: String
    let type: String
    /// The last status of the receiver; nil if it never answered.
    var status: Int? { self.answers.compactMap { $0 }.last }
    /// The status of each attempt, nil for no answer.
    var answers: [Int?] = []
    let body: String
    let at: String
    let instant: Date
    let environment: SandboxTransaction.Environment
    /// The id and the original id of the notification's transaction.
    let transactionIDs: Set<String>

    init(_ draft: NotificationDraft, from source: NotificationSource, of happening: SandboxEvent) {
        self.source = source.rawValue
        self.id = draft.id
        self.type = draft.type
        self.body = String(decoding: draft.body, as: UTF8.self)
        self.at = happening.at.formatted(.iso8601)
        self.instant = happening.at
        self.environment = happening.transaction.environment
        self.transactionIDs = [happening.transaction.id, happening.transaction.originalID]
    }

    /// A Boolean value that indicates whether the receiver accepted the notification.
    var wasTaken: Bool { self.answers.contains { (200..<300).contains($0 ?? 0) } }

    private enum CodingKeys: CodingKey {
        case source, id, type, status, attempts, body, at
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.source, forKey: .source)
        try values.encode(self.id, forKey: .id)
        try values.encode(self.type, forKey: .type)
        try values.encode(self.status, forKey: .status)
        try values.encode(self.answers.count, forKey: .attempts)
        try values.encode(self.body, forKey: .body)
        try values.encode(self.at, forKey: .at)
    }
}
