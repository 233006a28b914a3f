import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Administrators change the same database by hand: they may lock a wallet, but they never undo a booking.
@Suite(.serialized) struct AdministratorTests {
    @Test func `a wallet that an administrator locks is busy, and other wallets are not affected`() async throws {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga", seats: 50)
            try await database.buy(for: .anna, "anna")
            try await Self.hold(.anna, database)

            let clock = ContinuousClock()
            var slowest = Duration.seconds(60)
            // A busy machine may need longer once. Bookings that wait for the wallet need longer every time.
            for round in 0..<20 where slowest >= .seconds(1) {
                slowest = .zero
                try await database.buy(for: .ben, "ben \(round)")
                let classes = (0..<5).map { "other-\(round)-\($0)" }
                for id in classes { try await database.makeClass(id) }
                async let held = Self.refusal(of: .anna, database)
                for id in classes {
                    let took = try await clock.measure {
                        let request = BookingRequest(classID: id)
                        _ = try await database.wallet.book(request, for: .ben, in: .production, key: id)
                    }
                    slowest = max(slowest, took)
                }
                let (error, waited) = try await held
                #expect(error == WalletError(status: 503, slug: "wallet-busy", retryAfter: 2))
                #expect(waited > .seconds(1) && waited < .seconds(30))
            }
            #expect(slowest < .seconds(1))
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 200)

            try await database.root.query("ROLLBACK")
            let later = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: .anna,
                in: .production,
                key: "k"
            )
            #expect(!later.replayed)
            #expect(later.balance.credits == 175)
        }
    }

    @Test func `an update that a booking overtook is refused`() async throws {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga")
            try await database.buy(for: .anna, "t1")
            try await Self.hold(.anna, database)
            // The update reads 200 credits, then waits for the wallet's lock.
            let update = Task {
                try await database.admin.query(
                    "UPDATE admin.wallets SET credits = 300, reason = 'a gift' WHERE user_id = 'anna'"
                )
            }
            try await Self.untilSomebodyWaits(database)
            let booked = try await database.root.query(
                """
                SELECT b.status FROM wallet.book_batch(ARRAY[ROW(
                    wallet.account_for('anna'), 'production', 'book', wallet.new_id(), 'k', 'yoga', 1, NULL, NULL
                )::wallet.booking_request]) AS b
                """
            )
            #expect(try booked.first?.decode("status", as: Int32.self) == 201)
            try await database.root.query("COMMIT")
            let error = await #expect(throws: PostgresError.self) { try await update.value }
            #expect(error?.httpStatus == 409)
            #expect(error?.detail?.hasPrefix("wallet-moved ") == true)
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 175)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `administrators' updates and concurrent bookings add up`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            try await database.buy(for: .anna, "t1")
            try await database.buy(for: .anna, "t2")
            for number in 0..<16 { try await database.makeClass("class-\(number)") }
            let gifts = Task {
                var given: Int64 = 0
                for _ in 0..<25 {
                    do {
                        try await database.admin.query(
                            "UPDATE admin.wallets SET credits = credits + 3, reason = 'a gift' WHERE user_id = 'anna'"
                        )
                        given += 3
                    } catch let error as PostgresError where error.detail?.hasPrefix("wallet-moved ") == true {
                        continue
                    }
                }
                return given
            }
            let receipts = try await atOnce(16) { number in
                try await database.wallet.book(
                    BookingRequest(classID: "class-\(number)"),
                    for: .anna,
                    in: .production,
                    key: "k\(number)"
                )
            }
            let given = try await gifts.value
            #expect(receipts.count == 16)
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == given)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    private static func hold(_ user: UserID, _ database: WalkDatabase) async throws {
        try await database.root.query("BEGIN")
        try await database.root.query(
            """
            SELECT FROM wallet.wallets AS w INNER JOIN wallet.identities AS i ON w.account_id = i.account_id
            WHERE i.user_id = \(user.rawValue) FOR UPDATE OF w
            """
        )
    }

    private static func untilSomebodyWaits(_ database: WalkDatabase) async throws {
        try await eventually("a session waits for the wallet", within: .seconds(180)) {
            // In a transaction PostgreSQL reads the statistics once, unless the snapshot is cleared.
            try await database.root.query("SELECT pg_stat_clear_snapshot()")
            let waiting = try await database.root.query(
                """
                SELECT FROM pg_catalog.pg_stat_activity AS a
                WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'
                """
            )
            return !waiting.isEmpty
        }
    }

    /// Books with a wallet that somebody holds; returns the refusal, and how long it took.
    private static func refusal(
        of user: UserID,
        _ database: WalkDatabase
    ) async throws -> (error: WalletError?, waited: Duration) {
        let start = ContinuousClock.now
        let booked = try await outcome {
            try await database.wallet.book(BookingRequest(classID: "yoga"), for: user, in: .production, key: "k")
        }
        let waited = ContinuousClock.now - start
        guard case .failure(let error) = booked else { return (nil, waited) }
        return (error, waited)
    }
}
