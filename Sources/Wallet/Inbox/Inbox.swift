public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Stores a store's message, once by its own id, and applies it in the same transaction.
    ///
    /// A message that requires a query to the store stays `new`; one that cannot be applied now is kept and tried
    /// again. Messages that arrive while others are being stored wait, and are then stored in one batch, each
    /// independently.
    ///
    /// SQL: `functions/inbox/receive_event.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameter event: The decoded message.
    /// - Returns: The result for the message.
    /// - Throws: ``WalletError`` 503 `overloaded` if too many messages wait, otherwise when the database does not
    ///   answer; the sender may then send the message again.
    public func receive(_ event: StoreEvent) async throws -> EventOutcome {
        try await self.events.submit(.arrived(event)).outcome
    }

    /// Quarantines an authentic message that could not be read, for an administrator.
    ///
    /// SQL: `functions/inbox/quarantine_event.sql`.
    ///
    /// - Parameters:
    ///   - body: The original message, JSON.
    ///   - source: The sender.
    ///   - id: The sender's id of the message, or a digest if the id cannot be read.
    ///   - reason: The reason why the message cannot be read.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func quarantine(_ body: String, from source: StoreEvent.Source, id: String, reason: String) async throws {
        try await self.execute(
            """
            SELECT wallet.quarantine_event(
                \(source.rawValue), \(id), 'unreadable', \(body)::jsonb, \(reason)
            )::text AS done
            """
        )
    }

    /// Leases messages that are due for another attempt; other instances skip them for a minute.
    ///
    /// SQL: `functions/inbox/due_events.sql`, `views/instance/metrics.sql`.
    ///
    /// - Parameter limit: The maximum number of messages.
    /// - Returns: The messages.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func dueEvents(limit: Int) async throws -> [InboxItem] {
        try await self.query(
            """
            SELECT e.inbox_id, e.source, e.payload::text AS payload, (e.payload -> 'raw')::text AS raw, w.age
            FROM wallet.due_events(\(Int32(clamping: limit))) AS e
            LEFT JOIN wallet.inbox_ages AS w ON e.inbox_id = w.inbox_id
            ORDER BY e.inbox_id
            """
        ) { row in
            InboxItem(
                inboxID: try row.decode("inbox_id"),
                content: InboxItem.Content(
                    source: try row.decode("source"),
                    payload: try row.decode("payload"),
                    raw: try row.decode("raw")
                ),
                age: try row.decode("age")
            )
        }
    }

    /// Applies a stored message.
    ///
    /// SQL: `functions/inbox/receive_event.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - inboxID: The message's id in the inbox.
    ///   - event: The message with the store's answer; `nil` applies the stored text.
    /// - Returns: The result for the message.
    /// - Throws: ``WalletError`` 503 `overloaded` if too many messages wait, otherwise when the database does not
    ///   answer.
    public func process(_ inboxID: Int64, as event: StoreEvent? = nil) async throws -> EventOutcome {
        try await self.events.submit(.stored(inboxID, event)).outcome
    }

    /// Applies a few dozen stored messages in order, in one call.
    ///
    /// SQL: `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameter messages: The ids of the messages in the inbox, and the messages as decoded now.
    /// - Returns: The result for each message, in order; ``WalletError`` 503 when the database does not answer.
    public func process(
        _ messages: [(inboxID: Int64, event: StoreEvent)]
    ) async -> [Result<EventOutcome, WalletError>] {
        let items = messages.map { EventItem.stored($0.inboxID, $0.event) }
        return await self.eventExecutor.decideAll(items)
    }

    /// Records that a stored message could not be applied, and schedules the next attempt.
    ///
    /// SQL: `functions/inbox/due_events.sql`.
    ///
    /// - Parameters:
    ///   - inboxID: The message's id in the inbox.
    ///   - reason: The reason, without any value of the message.
    ///   - retryAfter: The minimum number of seconds until the next attempt; `nil` for the usual pause.
    ///   - isTried: A Boolean value that indicates whether this was an attempt; without attempts, no message is
    ///     quarantined.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func fail(_ inboxID: Int64, reason: String, retryAfter: Int?, isTried: Bool = true) async throws {
        try await self.execute(
            """
            SELECT wallet.fail_event(
                \(inboxID), \(reason), \(retryAfter.map { Int32(clamping: $0) }), \(isTried)
            )::text AS done
            """
        )
    }

    /// Gives up messages that have been quarantined for too long.
    ///
    /// SQL: `functions/inbox/quarantine_event.sql`.
    ///
    /// - Parameters:
    ///   - days: The retention time in days after the message was received.
    ///   - limit: The maximum number of messages to give up.
    /// - Returns: The number of messages given up.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func dropQuarantined(olderThan days: Int, limit: Int) async throws -> Int {
        try await self.count(
            """
            SELECT wallet.drop_quarantined(
                make_interval(days => \(Int32(clamping: days))), \(Int32(clamping: limit))
            ) AS count
            """
        )
    }

    /// Returns the time from which a store's message history must be read.
    ///
    /// SQL: `functions/inbox/history.sql`.
    ///
    /// - Parameters:
    ///   - source: The store.
    ///   - environment: The store's environment.
    /// - Returns: The time.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func historyStart(of source: StoreEvent.Source, _ environment: StoreEnvironment) async throws -> Date {
        try await self.queryOne(
            """
            SELECT wallet.history_start(\(source.rawValue), \(environment.rawValue)::wallet.environment) AS start
            """
        ) { row in try row.decode("start", as: Date.self) }
    }

    /// Records that every message that a store sent before an instant has been received.
    ///
    /// SQL: `functions/inbox/history.sql`.
    ///
    /// - Parameters:
    ///   - source: The store.
    ///   - environment: The store's environment.
    ///   - until: The instant.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func noteHistory(
        of source: StoreEvent.Source,
        _ environment: StoreEnvironment,
        until: Date
    ) async throws {
        try await self.execute(
            """
            SELECT wallet.note_history(
                \(source.rawValue), \(environment.rawValue)::wallet.environment, \(until)
            )::text AS done
            """
        )
    }
}

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

/// The result for one message of a store.
public struct EventOutcome: Sendable, Equatable {
    /// The state of a message.
    public enum Status: String, Sendable {
        /// Stored; the service must query the store before it can apply the message.
        case new
        /// Applied.
        case processed
        /// The message does not concern the wallet.
        case ignored
        /// Waits until its user is known.
        case awaitingUser = "awaiting_user"
        /// Could not be applied; will be tried again.
        case failed
        /// Failed too often or cannot be read; an administrator should check it.
        case quarantined
    }

    /// The message's id in the inbox.
    public var inboxID: Int64
    /// The state of the message.
    public var status: Status
    /// The reason why the message is ignored, awaiting its user, failed or quarantined.
    public var reason: String?
    /// A Boolean value that indicates whether the message had been received before.
    public var duplicate: Bool
}

/// A store's message that waits in the inbox.
public struct InboxItem: Sendable {
    /// The content of a message.
    public enum Content: Sendable {
        /// The decoded message.
        case event(StoreEvent)
        /// The original message, which could not be decoded when it arrived.
        case raw(Data, from: StoreEvent.Source)
        /// A message that neither this release nor an earlier one could decode.
        case unknown
    }

    /// The message's id in the inbox.
    public var inboxID: Int64
    /// The content of the message.
    public var content: Content
    /// The number of seconds since the message was received; `nil` if unknown.
    public var age: Double?
}

extension InboxItem.Content {
    fileprivate init(source: String, payload: String?, raw: String?) {
        if let raw, let source = StoreEvent.Source(rawValue: source) {
            self = .raw(Data(raw.utf8), from: source)
        } else if let event = payload.flatMap({ try? JSONDecoder().decode(StoreEvent.self, from: Data($0.utf8)) }) {
            self = .event(event)
        } else {
            self = .unknown
        }
    }
}
