import Foundation
import Postgres
import Wallet

extension WalkDriver {
    /// Compares every ledger, booking and purchase after the last step.
    func compareAtTheEnd() async throws {
        try await self.compareLedgers()
        try await self.compareEvents()
        try await self.compareSums()
        for key in self.books.wallets.keys {
            try await self.compareBookings(key)
            try await self.comparePurchases(key)
        }
    }

    func checkInvariants(_ place: String) async throws {
        while try await self.database.wallet.sumDays(limit: 1_000) > 0 {}
        let violations = try await self.database.wallet.violations()
        guard violations.isEmpty else { throw Parting(description: "\(place): \(violations)") }
    }

    private func compareLedgers() async throws {
        let rows = try await self.database.root.query(
            """
            SELECT i.user_id, e.environment::text AS environment, concat_ws(
                    ' ', e.version, e.kind, coalesce(e.unit::text, 'no unit'), e.amount, e.owed_change, e.balance_after
                ) AS entry, e.lot_id, e.booking_id
            FROM wallet.entries AS e
            INNER JOIN wallet.identities AS i ON e.account_id = coalesce(i.merged_from, i.account_id)
            WHERE i.user_id = ANY(\(self.names.userIDs))
            ORDER BY i.user_id, e.environment, e.version
            """
        )
        let found = try rows.map { row in
            let place = self.names.key(try row.decode("user_id"), try row.decode("environment"))
            let lot = try row.decode("lot_id", as: UUID?.self).map(self.names.lot) ?? "no lot"
            let booking = try row.decode("booking_id", as: UUID?.self).map(self.names.booking) ?? "no booking"
            return "\(place?.description ?? "nobody") \(try row.decode("entry", as: String.self)) \(lot) \(booking)"
        }
        let closed = self.books.closed.map { ($0.key, $0.value.entries, $0.value.into, $0.value.offset) }
        let open = self.books.wallets.map { ($0.key, $0.value.entries, $0.key, 0) }
        let expected = (closed + open).flatMap { key, entries, owner, offset in
            entries.enumerated().map { number, entry in
                let lot = entry.lot.map { LotKey(wallet: owner, lot: offset + $0).description } ?? "no lot"
                return "\(key) \(number + 1) \(entry.kind) \(WalkNames.unit(entry.unit)) \(entry.amount) "
                    + "\(entry.owedChange) \(entry.balanceAfter) \(lot) "
                    + (entry.booking.map { "booking \($0)" } ?? "no booking")
            }
        }
        try Self.compareAtTheEnd("ledger", expected, found)
    }

    /// Compares the waitlist, move, attendance and block events of the members.
    private func compareEvents() async throws {
        let rows = try await self.database.root.query(
            """
            SELECT i.user_id, o.environment::text AS environment, o.type || ' ' || count(*) AS event
            FROM wallet.outbox AS o INNER JOIN wallet.identities AS i ON o.account_id = i.account_id
            WHERE i.user_id = ANY(\(self.names.userIDs)) AND i.merged_at IS NULL
                AND (
                    o.type LIKE 'waitlist.%' OR o.type LIKE 'user.%' OR o.type IN (
                        'booking.moved', 'booking.attended', 'booking.no_show', 'booking.excused', 'booking.unmarked'
                    )
                )
            GROUP BY i.user_id, o.environment, o.type
            """
        )
        let found = try rows.map { row in
            let place = self.names.key(try row.decode("user_id"), try row.decode("environment"))
            return "\(place?.description ?? "nobody") \(try row.decode("event", as: String.self))"
        }
        let expected = self.books.events.flatMap { key, counts in counts.map { "\(key) \($0.key) \($0.value)" } }
        try Self.compareAtTheEnd("events", expected, found)
    }

    private func compareBookings(_ key: WalletKey) async throws {
        let wallet = self.database.wallet
        let listed = try await allPages(limit: 7) { page in
            try await wallet.bookings(of: self.user(key.user), in: key.environment, filter: nil, page: page)
        }
        let expected = self.books.bookings.indices.filter { self.books.bookings[$0].key == key }
        try Self.compareAtTheEnd(
            "bookings of \(key)",
            expected.map(self.books.text(booking:)),
            listed.map(self.names.text)
        )
    }

    private func comparePurchases(_ key: WalletKey) async throws {
        let rows = try await self.database.service.query(
            """
            SELECT concat_ws(' ', p.product_id, p.status, p.granted, p.remaining) AS purchase, ARRAY(
                SELECT concat_ws(
                    ' ', l.lot ->> 'unit', l.lot ->> 'granted', l.lot ->> 'remaining', l.lot ->> 'refunded',
                    l.lot ->> 'owed'
                )
                FROM jsonb_array_elements(p.lots) WITH ORDINALITY AS l (lot, place)
                ORDER BY l.place
            ) AS lots, ARRAY(
                SELECT concat_ws(
                    ': ', coalesce(u.use ->> 'booking_id', u.use ->> 'reference', 'another user''s reference'),
                    u.use ->> 'amount'
                )
                FROM jsonb_array_elements(p.used_by) AS u (use)
            ) AS uses
            FROM wallet.purchases AS p INNER JOIN wallet.users AS i ON p.account_id = i.account_id
            WHERE i.user_id = \(self.names.userIDs[key.user])
                AND p.environment = \(key.environment.rawValue)::wallet.environment
            """
        )
        let found = try rows.map { row in
            let uses = try row.decode("uses", as: [String].self).map(self.names.use).sorted()
            let lots = try row.decode("lots", as: [String].self)
            return "\(try row.decode("purchase", as: String.self)) \(lots) \(uses)"
        }
        try Self.compareAtTheEnd("purchases of \(key)", self.books.purchases(of: key), found)
    }

    private static func compareAtTheEnd(_ what: String, _ expected: [String], _ found: [String]) throws {
        let model = expected.sorted()
        let database = found.sorted()
        guard model != database else { return }
        throw Parting(
            description: "the end, \(what)\n    model:    \(Set(model).subtracting(database).sorted())\n    database: "
                + "\(Set(database).subtracting(model).sorted())"
        )
    }
}

/// Reads all pages of a list.
func allPages<Item>(limit: Int, _ read: (PageRequest) async throws -> Page<Item>) async throws -> [Item] {
    var items: [Item] = []
    var cursor: String?
    repeat {
        let page = try await read(PageRequest(limit: limit, cursor: cursor))
        items += page.items
        cursor = page.nextCursor
    } while cursor != nil
    return items
}
