import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Wallet

/// Tests groups of bookings: one call decides all waiting requests, and no request harms the others of its group.
@Suite(.serialized) struct BookingQueueTests {
    @Test func `one call decides all waiting requests in order of arrival`() async throws {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga", seats: 3)
            for user in 0..<5 { try await database.buy(for: UserID(rawValue: "u\(user)"), "t\(user)") }
            let before = try await Self.commits(database)
            let results = try await database.together(
                (0..<5).map { user in
                    {
                        try await database.wallet.book(
                            BookingRequest(classID: "yoga"),
                            for: UserID(rawValue: "u\(user)"),
                            in: .production,
                            key: "k"
                        )
                    }
                }
            )
            #expect(results.map { $0.slug ?? "booked" } == ["booked", "booked", "booked", "class-full", "class-full"])
            let bookings = results.prefix(3).compactMap { try? $0.get().booking.createdAt }
            #expect(Set(bookings).count == 1)
            #expect(try await Self.commits(database) == before + 1)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a refusal, a replay and a deleted user's booking do not affect the rest of the group`() async throws {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            try await database.buy(for: .anna, "t1")
            let gone = UserID(rawValue: "gone")
            try await database.buy(for: gone, "t2")
            try await database.wallet.deleteAccount(of: gone)
            let old = Caller(gone, issuedAt: Date(timeIntervalSinceNow: -60), isAnonymous: false)
            let wallet = database.wallet
            let results = try await database.together([
                { try await wallet.book(BookingRequest(classID: "yoga"), for: .anna, in: .production, key: "a") },
                { try await wallet.book(BookingRequest(classID: "none"), for: .anna, in: .production, key: "b") },
                { try await wallet.book(BookingRequest(classID: "yoga"), for: .ben, in: .production, key: "a") },
                { try await wallet.book(BookingRequest(classID: "yoga"), for: .anna, in: .production, key: "a") },
                { try await wallet.book(BookingRequest(classID: "spin"), for: old, in: .production, key: "a") },
                { try await wallet.book(BookingRequest(classID: "spin"), for: .anna, in: .production, key: "a") },
                { try await wallet.book(BookingRequest(classID: "spin"), for: .anna, in: .production, key: "c") },
            ])
            #expect(
                results.map { $0.slug ?? "booked" } == [
                    "booked", "class-not-found", "insufficient-credits", "booked", "unauthenticated",
                    "idempotency-key-reused", "booked",
                ]
            )
            let receipts = results.compactMap { try? $0.get() }
            #expect(receipts.map(\.replayed) == [false, true, false])
            #expect(receipts.map(\.balance.credits) == [175, 175, 150])
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a wallet held from outside is passed over; the rest of its group does not wait`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            try await database.makeClass("yoga", seats: 50)
            for user in 0..<4 { try await database.buy(for: UserID(rawValue: "u\(user)"), "t\(user)") }
            try await Self.hold(
                "SELECT FROM wallet.wallets AS w INNER JOIN wallet.identities AS i USING (account_id) "
                    + "WHERE i.user_id = 'u0' FOR UPDATE OF w",
                database
            )
            let clock = ContinuousClock()
            let start = clock.now
            let finished = Mutex<[Int: Duration]>([:])
            async let results = database.together(
                (0..<4).map { user in
                    {
                        defer { finished.withLock { $0[user] = clock.now - start } }
                        return try await database.wallet.book(
                            BookingRequest(classID: "yoga"),
                            for: UserID(rawValue: "u\(user)"),
                            in: .production,
                            key: "k"
                        )
                    }
                }
            )
            while finished.withLock({ $0.count }) < 3 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(finished.withLock { $0[0] } == nil)
            try await database.root.query("ROLLBACK")
            #expect(try await results.map { $0.slug ?? "booked" } == ["booked", "booked", "booked", "booked"])
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a class locked from outside is passed over too, and is reported busy while that lasts`() async throws {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            for user in 0..<2 { try await database.buy(for: UserID(rawValue: "u\(user)"), "t\(user)") }
            try await Self.hold("SELECT FROM wallet.class_seats WHERE class_id = 'yoga' FOR UPDATE", database)
            let classes = ["yoga", "spin"]
            let results = try await database.together(
                classes.enumerated().map { number, id in
                    {
                        try await database.wallet.book(
                            BookingRequest(classID: id),
                            for: UserID(rawValue: "u\(number)"),
                            in: .production,
                            key: "k"
                        )
                    }
                }
            )
            #expect(results.map { $0.slug ?? "booked" } == ["wallet-busy", "booked"])
            try await database.root.query("ROLLBACK")
            let later = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: UserID(rawValue: "u0"),
                in: .production,
                key: "k"
            )
            #expect(!later.replayed)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `after a group fails as a whole, items are decided singly and only the faulty one fails`() async throws {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga", seats: 50)
            for user in 0..<3 { try await database.buy(for: UserID(rawValue: "u\(user)"), "t\(user)") }
            try await database.root.query(
                """
                CREATE FUNCTION wallet.refuse_u1() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.idempotency_key = 'bad' THEN RAISE EXCEPTION 'a broken row'; END IF;
                    RETURN NEW;
                END $$
                """
            )
            try await database.root.query(
                """
                CREATE TRIGGER refuse_u1 BEFORE INSERT ON wallet.bookings
                FOR EACH ROW EXECUTE FUNCTION wallet.refuse_u1()
                """
            )
            let keys = ["good", "bad", "good"]
            let results = try await database.together(
                keys.enumerated().map { number, key in
                    {
                        try await database.wallet.book(
                            BookingRequest(classID: "yoga"),
                            for: UserID(rawValue: "u\(number)"),
                            in: .production,
                            key: key
                        )
                    }
                }
            )
            #expect(results.map { $0.slug ?? "booked" } == ["booked", "internal-error", "booked"])
            #expect(try await database.wallet.balance(of: UserID(rawValue: "u1"), in: .production).credits == 200)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    // Guarantee: idempotent-for-ever
    @Test func `a group whose connection is lost is decided once, and nobody learns of a replay`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            try await database.makeClass("yoga", seats: 50)
            for user in 0..<3 { try await database.buy(for: UserID(rawValue: "u\(user)"), "t\(user)") }
            // The group waits here, inside its statement, until its server process is terminated.
            try await Self.hold("LOCK TABLE wallet.bookings IN SHARE MODE", database)
            async let results = database.together(
                (0..<3).map { user in
                    {
                        try await database.wallet.book(
                            BookingRequest(classID: "yoga"),
                            for: UserID(rawValue: "u\(user)"),
                            in: .production,
                            key: "k"
                        )
                    }
                }
            )
            let killer = try await database.database.connect()
            defer { killer.close() }
            var group: Int32?
            while group == nil {
                try await Task.sleep(for: .milliseconds(20))
                group = try await killer.query(
                    """
                    SELECT pid FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'wallet_service' AND wait_event_type = 'Lock'
                    """
                ).first?.decode("pid")
            }
            try await killer.query("SELECT pg_terminate_backend(\(group))")
            try await database.root.query("ROLLBACK")
            let receipts = try await results.map { try $0.get() }
            #expect(receipts.map(\.replayed) == [false, false, false])
            #expect(try await database.wallet.classSession("yoga", in: .production).seatsLeft == 47)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    /// Begins a transaction as the superuser, which keeps the statement's locks until it is rolled back.
    private static func hold(_ statement: String, _ database: WalkDatabase) async throws {
        try await database.root.query("BEGIN")
        try await database.root.execute(script: statement)
    }

    /// Returns the number of transactions that wrote to the outbox.
    private static func commits(_ database: WalkDatabase) async throws -> Int64 {
        try await database.root.query("SELECT count(DISTINCT xid) AS n FROM wallet.outbox").first?.decode("n") ?? 0
    }
}

extension Result<BookingResult, WalletError> {
    /// The slug of the refusal; nil if the request succeeded.
    fileprivate var slug: String? {
        if case .failure(let error) = self { error.slug } else { nil }
    }
}
