import Foundation
import Hummingbird

/// A notification that was written, and what became of it.
struct PostedNotification: ResponseEncodable, Sendable {
    let source: String
    let id: String
    let type: String
    /// The status that the receiver answered last; nil while it answered nothing.
    var status: Int? { self.answers.compactMap { $0 }.last }
    /// The status that each attempt was answered with, nil for no answer.
    var answers: [Int?] = []
    let body: String
    let at: String
    let instant: Date
    let environment: SandboxTransaction.Environment
    /// The transaction that it is about, by its own id and its first.
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

    /// Whether the receiver took it.
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
