import Foundation
import Hummingbird

/// A notification that was written, and what became of it.
struct PostedNotification: ResponseEncodable, Sendable {
    let source: String
    let id: String
    let type: String
    /// The status that the receiver answered last; nil while it answered nothing.
    var status: Int?
    /// How often it was sent or tried.
    var attempts = 0
    let body: String
    let at: String
    /// The wall of the stores' clock, for the faces.
    let instant: Date

    init(_ draft: NotificationDraft, from source: NotificationSource, at instant: Date) {
        self.source = source.rawValue
        self.id = draft.id
        self.type = draft.type
        self.body = String(decoding: draft.body, as: UTF8.self)
        self.at = instant.formatted(.iso8601)
        self.instant = instant
    }

    private enum CodingKeys: CodingKey {
        case source, id, type, status, attempts, body, at
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.source, forKey: .source)
        try values.encode(self.id, forKey: .id)
        try values.encode(self.type, forKey: .type)
        try values.encode(self.status, forKey: .status)
        try values.encode(self.attempts, forKey: .attempts)
        try values.encode(self.body, forKey: .body)
        try values.encode(self.at, forKey: .at)
    }
}
