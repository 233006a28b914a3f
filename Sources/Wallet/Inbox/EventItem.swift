import Foundation
import Postgres
import Stores

/// One message of a store, to be taken in or tried again.
enum EventItem: BatchItem {
    /// It came just now.
    case arrived(StoreEvent)
    /// It waits in the inbox; nil for as it was stored.
    case stored(Int64, StoreEvent?)

    static func batch(_ items: [EventItem]) throws -> Query {
        try """
        SELECT a.item, a.state, a.message, a.detail, (a.outcome).*
        FROM wallet.process_event_batch(
            \(items.map(\.inboxID)), \(items.map { $0.event?.source.rawValue }), \(items.map { $0.event?.id }),
            \(items.map { $0.event?.type }), \(items.map { try $0.event.map(JSONText.init(encoding:)) })
        ) AS a
        ORDER BY a.item
        """
    }

    func alone() throws -> Query {
        switch self {
        case .arrived(let event):
            try """
            SELECT * FROM wallet.receive_event(
                \(event.source.rawValue), \(event.id), \(event.type), \(json: event)
            )
            """
        case .stored(let inboxID, let event?):
            try "SELECT * FROM wallet.process_event(\(inboxID), \(json: event))"
        case .stored(let inboxID, nil):
            "SELECT * FROM wallet.process_event(\(inboxID), NULL)"
        }
    }

    static func outcome(in row: Row) throws -> EventOutcome {
        EventOutcome(
            inboxID: try row.decode("inbox_id"),
            status: EventOutcome.Status(rawValue: try row.decode("status")) ?? .failed,
            reason: try row.decode("reason"),
            duplicate: try row.decode("duplicate")
        )
    }

    private var inboxID: Int64? {
        if case .stored(let inboxID, _) = self { inboxID } else { nil }
    }

    private var event: StoreEvent? {
        switch self {
        case .arrived(let event): event
        case .stored(_, let event): event
        }
    }
}

extension JSONText {
    /// Writes a value as JSON.
    init(encoding value: some Encodable) throws {
        self.init(rawValue: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
