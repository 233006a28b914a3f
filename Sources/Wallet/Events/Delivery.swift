import Postgres

extension Wallet {
    /// Queues new events for delivery, in the order in which they were committed.
    ///
    /// One instance at a time does this; other instances find nothing to do. SQL:
    /// `functions/events/deliveries.sql`.
    ///
    /// - Parameter limit: The maximum number of events.
    /// - Returns: The number of queued events.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func enqueueDeliveries(limit: Int) async throws -> Int {
        try await self.count("SELECT wallet.enqueue_deliveries(\(Int32(clamping: limit))) AS count")
    }

    /// Leases events that are due for delivery; other instances skip them for a minute.
    ///
    /// SQL: `functions/events/deliveries.sql`.
    ///
    /// - Parameter limit: The maximum number of events.
    /// - Returns: The events.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func dueDeliveries(limit: Int) async throws -> [Delivery] {
        try await self.query(
            """
            SELECT d.event_id, d.webhook_id, d.body::text AS body, d.account_id
            FROM wallet.due_deliveries(\(Int32(clamping: limit))) AS d
            """
        ) { row in
            Delivery(
                eventID: try row.decode("event_id"),
                webhookID: try row.decode("webhook_id"),
                body: try row.decode("body"),
                accountID: try row.decode("account_id")
            )
        }
    }

    /// Records the result of a delivery.
    ///
    /// SQL: `functions/events/deliveries.sql`.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - error: The reason why the delivery failed; `nil` if it succeeded.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func record(_ delivery: Delivery, error: String?) async throws {
        try await self.execute("SELECT wallet.record_delivery(\(delivery.eventID), \(error))::text AS done")
    }

    /// Removes successful deliveries after their retention time.
    ///
    /// SQL: `functions/events/deliveries.sql`.
    ///
    /// - Parameters:
    ///   - days: The retention time in days.
    ///   - limit: The maximum number of deliveries to remove.
    /// - Returns: The number of removed deliveries.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func dropOldEvents(olderThan days: Int, limit: Int) async throws -> Int {
        try await self.count(
            """
            SELECT wallet.drop_old_events(
                make_interval(days => \(Int32(clamping: days))), \(Int32(clamping: limit))
            ) AS count
            """
        )
    }
}

/// An event to deliver.
public struct Delivery: Sendable, Equatable {
    /// The event.
    public var eventID: Int64
    /// The event's id for the receiver, the same at every attempt.
    public var webhookID: String
    /// The body to send, JSON.
    public var body: String
    /// The account of the event; the events of one account are sent in order.
    public var accountID: Int64
}
