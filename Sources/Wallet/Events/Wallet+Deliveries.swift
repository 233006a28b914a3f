import Postgres

extension Wallet {
    /// Lines up new events for delivery, in the order in which they were committed.
    ///
    /// One instance at a time does it; others find nothing to do. SQL: `functions/events/enqueue_deliveries.sql`.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: How many were lined up.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func enqueueDeliveries(limit: Int) async throws -> Int {
        let counts = try await self.query(
            "SELECT wallet.enqueue_deliveries(\(Int32(clamping: limit))) AS enqueued"
        ) { row in Int(try row.decode("enqueued", as: Int32.self)) }
        return counts.first ?? 0
    }

    /// Takes events that are due to be delivered; other instances pass over them for a minute.
    ///
    /// SQL: `functions/events/due_deliveries.sql`.
    ///
    /// - Parameter limit: How many at most.
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

    /// Notes what became of a delivery.
    ///
    /// SQL: `functions/events/record_delivery.sql`.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - error: Why it failed, nil if it did not.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func record(_ delivery: Delivery, error: String?) async throws {
        _ = try await self.query("SELECT wallet.record_delivery(\(delivery.eventID), \(error))::text AS done") { _ in }
    }

    /// Removes deliveries that were made longer ago than they need to be kept.
    ///
    /// SQL: `functions/events/drop_old_events.sql`.
    ///
    /// - Parameters:
    ///   - days: How many days they are kept.
    ///   - limit: How many are removed at most.
    /// - Returns: How many were removed.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func dropOldEvents(olderThan days: Int, limit: Int) async throws -> Int {
        let counts = try await self.query(
            """
            SELECT wallet.drop_old_events(
                make_interval(days => \(Int32(clamping: days))), \(Int32(clamping: limit))
            ) AS dropped
            """
        ) { row in Int(try row.decode("dropped", as: Int32.self)) }
        return counts.first ?? 0
    }
}

/// One event on its way out.
public struct Delivery: Sendable, Equatable {
    /// The event.
    public var eventID: Int64
    /// Its id for the receiver, the same at every attempt.
    public var webhookID: String
    /// The body to send, JSON.
    public var body: String
    /// Whose it is: the events of one account are sent in their order.
    public var accountID: Int64
}
