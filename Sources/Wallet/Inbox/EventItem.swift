import Foundation
import Postgres
import Stores

/// A store's message, to be received or to be applied again.
enum EventItem: BatchItem {
    /// The message has just arrived.
    case arrived(StoreEvent)
    /// The message is in the inbox; `nil` applies the stored text.
    case stored(Int64, StoreEvent?)

    static func batch(_ items: [EventItem]) throws -> Query {
        try """
        SELECT a.item, a.state, a.message, a.detail, (a.event).*
        FROM wallet.apply_batch(ARRAY(
            SELECT ROW(
                NULL, NULL, NULL, NULL, NULL, i.inbox_id, i.source, i.event_id, i.type, i.event
            )::wallet.store_request
            FROM unnest(
                \(items.map(\.inboxID))::bigint[], \(items.map { $0.event?.source.rawValue })::text[],
                \(items.map { $0.event?.id })::text[], \(items.map { $0.event?.type })::text[],
                \(items.map { try $0.event.map(JSONText.init(encoding:)) })::jsonb[]
            ) WITH ORDINALITY AS i (inbox_id, source, event_id, type, event, place)
            ORDER BY i.place
        )) AS a
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
    /// Creates JSON text from a value.
    init(encoding value: some Encodable) throws {
        self.init(rawValue: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
