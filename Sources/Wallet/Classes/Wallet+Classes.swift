import Foundation
import Postgres

extension Wallet {
    /// Lists the upcoming classes, the next one first.
    ///
    /// SQL: `views/classes/class_list.sql`.
    ///
    /// - Parameters:
    ///   - environment: The environment whose seats the list contains.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func classes(in environment: WalletEnvironment, page: PageRequest) async throws -> Page<ClassSession> {
        let after = try page.cursor.map { try Cursor.decode($0, count: 2) }
        let afterMicros = try after.map { parts in
            guard let micros = Int64(parts[0]), abs(micros) < 100_000_000_000_000_000 else {
                throw Cursor.malformed(page.cursor ?? "")
            }
            return micros
        }
        let found = try await self.read(
            """
            SELECT \(unescaped: ClassSession.columns) FROM wallet.class_list AS c
            WHERE c.environment = \(environment.rawValue)::wallet.environment AND c.status = 'scheduled'
                AND c.starts_at > (SELECT wallet.now())
                AND (c.starts_at, c.class_id) > (
                    timestamptz 'epoch' + coalesce(\(afterMicros), 0::bigint) * interval '1 microsecond',
                    coalesce(\(after?[1]), '')
                )
            ORDER BY c.starts_at, c.class_id
            LIMIT \(page.limit + 1)
            """
        ) { row in try ClassSession(row: row) }
        return Page(found, limit: page.limit) {
            ["\(Int64(($0.startsAt.timeIntervalSince1970 * 1_000_000).rounded()))", $0.classID]
        }
    }

    /// Returns one class, which may be past or cancelled.
    ///
    /// SQL: `views/classes/class_list.sql`.
    ///
    /// - Parameters:
    ///   - id: The operator's id of the class.
    ///   - environment: The environment whose seats the result contains.
    /// - Returns: The class.
    /// - Throws: ``WalletError`` 404 `class-not-found`, 503 when the database does not answer.
    public func classSession(_ id: String, in environment: WalletEnvironment) async throws -> ClassSession {
        let found = try await self.read(
            """
            SELECT \(unescaped: ClassSession.columns) FROM wallet.class_list AS c
            WHERE c.environment = \(environment.rawValue)::wallet.environment AND c.class_id = \(id)
            """
        ) { row in try ClassSession(row: row) }
        guard let session = found.first else { throw WalletError(status: 404, slug: "class-not-found") }
        return session
    }
}

extension ClassSession {
    fileprivate static let columns = """
        c.class_id, c.title, c.starts_at, c.ends_at, c.capacity, c.seats_left, c.price_credits, c.price_visits,
        c.free_minutes_before, c.status, c.max_seats, c.days_ahead, c.opens_minutes_before, c.closes_minutes_before,
        c.max_overlaps, c.waitlist_cutoff_minutes, c.waitlist_length::bigint AS waitlist_length
        """

    fileprivate init(row: Row) throws {
        self.init(
            classID: try row.decode("class_id"),
            title: try row.decode("title"),
            startsAt: try row.decode("starts_at"),
            endsAt: try row.decode("ends_at"),
            capacity: Int(try row.decode("capacity", as: Int32.self)),
            seatsLeft: Int(try row.decode("seats_left", as: Int32.self)),
            price: SeatPrice(credits: try row.decode("price_credits"), visits: try row.decode("price_visits")),
            cancellation: CancellationPolicy(
                freeMinutesBefore: Int(try row.decode("free_minutes_before", as: Int32.self))
            ),
            limits: try ClassLimits(row: row),
            waitlist: WaitlistState(
                cutoffMinutes: Int(try row.decode("waitlist_cutoff_minutes", as: Int32.self)),
                length: Int(try row.decode("waitlist_length", as: Int64.self))
            ),
            status: try row.decode("status")
        )
    }
}

extension ClassLimits {
    fileprivate init(row: Row) throws {
        self.init(
            maxSeats: try row.decode("max_seats", as: Int32?.self).map(Int.init),
            daysAhead: try row.decode("days_ahead", as: Int32?.self).map(Int.init),
            opensMinutesBefore: try row.decode("opens_minutes_before", as: Int32?.self).map(Int.init),
            closesMinutesBefore: try row.decode("closes_minutes_before", as: Int32?.self).map(Int.init),
            maxOverlaps: try row.decode("max_overlaps", as: Int32?.self).map(Int.init)
        )
    }
}
