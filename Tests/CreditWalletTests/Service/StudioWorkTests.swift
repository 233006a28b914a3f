import Foundation
import Postgres
import StoreSync
import TestSupport
import Testing
import Wallet

@testable import CreditWallet

/// Tests of the background work on freed seats and on cancelled or moved classes.
@Suite struct StudioWorkTests {
    private func work(on bench: StoreBench) throws -> BackgroundJobs {
        BackgroundJobs(
            wallet: bench.wallet,
            inbox: try bench.inbox(),
            acknowledger: nil,
            dispatcher: nil,
            reconciler: try bench.reconciler(),
            configuration: WorkConfiguration(sweepInterval: .seconds(60), studioInterval: .seconds(1)),
            logger: .silent
        )
    }

    private func round(_ name: String, on bench: StoreBench) async throws {
        let rounds = try self.work(on: bench).rounds.first { $0.name == name }
        try await #require(rounds).work()
    }

    private func makeClass(_ id: String, seats: Int, on bench: StoreBench) async throws {
        let start = try await bench.wallet.now().addingTimeInterval(72 * 3_600)
        let definition = ClassDefinition(
            title: "Pottery",
            startsAt: start,
            endsAt: start.addingTimeInterval(7_200),
            capacity: seats,
            price: SeatPrice(credits: 20)
        )
        _ = try await bench.wallet.putClass(id, definition, by: Self.operator, key: "put-\(id)", in: .production)
    }

    private static let `operator` = OperatorIdentity(id: UserID(rawValue: "mia"), right: .operator)

    private func give(_ credits: Int64, to users: [String], on bench: StoreBench) async throws {
        try await bench.query(
            """
            INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
            SELECT 'given to ' || u.id, u.id, \(credits), 'for a test', TRUE FROM unnest(\(users)) AS u (id)
            """
        )
    }

    private func book(_ id: String, for user: String, on bench: StoreBench) async throws -> Booking {
        let receipt = try await bench.wallet.book(
            BookingRequest(classID: id),
            for: UserID(rawValue: user),
            in: .production,
            key: "book-\(user)-\(id)"
        )
        return receipt.booking
    }

    private func wait(for id: String, _ user: String, on bench: StoreBench) async throws {
        _ = try await bench.wallet.joinWaitlist(
            WaitlistRequest(),
            of: id,
            for: UserID(rawValue: user),
            in: .production
        )
    }

    private func cancel(_ booking: Booking, of user: String, on bench: StoreBench) async throws {
        _ = try await bench.wallet.cancel(booking.bookingID, for: UserID(rawValue: user), in: .production)
    }

    @Test(.database) func `several instances give each freed seat to a waiting user who can pay`() async throws {
        try await StoreBench.run { bench in
            let holders = ["ann", "bob"]
            let waiting = ["cid", "dan", "eve", "fay"]
            try await self.makeClass("pottery", seats: 2, on: bench)
            // Dan is second in line and has no credits.
            try await self.give(20, to: holders + ["cid", "eve", "fay"], on: bench)
            var bookings: [Booking] = []
            for user in holders { bookings.append(try await self.book("pottery", for: user, on: bench)) }
            for user in waiting { try await self.wait(for: "pottery", user, on: bench) }
            for (booking, user) in zip(bookings, holders) { try await self.cancel(booking, of: user, on: bench) }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await self.round("waitlists", on: bench) } }
                try await group.waitForAll()
            }
            // A user whose wallet was locked in the first round gets a seat in the second.
            try await self.round("waitlists", on: bench)

            let promoted = try await bench.text(
                """
                SELECT string_agg(i.user_id, ' ' ORDER BY i.user_id) AS text FROM wallet.bookings AS b
                INNER JOIN wallet.identities AS i ON b.account_id = i.account_id
                WHERE b.promoted AND b.cancelled_at IS NULL
                """
            )
            #expect(promoted == "cid eve")
            let left = try await bench.text(
                """
                SELECT string_agg(i.user_id, ' ' ORDER BY i.user_id) AS text FROM wallet.waitlist AS w
                INNER JOIN wallet.identities AS i ON w.account_id = i.account_id
                """
            )
            #expect(left == "dan fay")
            #expect(try await bench.credits(of: "cid") == "0")
            #expect(try await bench.credits(of: "fay") == "20")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a waitlist that fails blocks no other waitlist`() async throws {
        try await StoreBench.run { bench in
            for id in ["broken", "whole"] {
                try await self.makeClass(id, seats: 1, on: bench)
                try await self.give(20, to: ["holder-\(id)", "waiter-\(id)"], on: bench)
                let booking = try await self.book(id, for: "holder-\(id)", on: bench)
                try await self.wait(for: id, "waiter-\(id)", on: bench)
                try await self.cancel(booking, of: "holder-\(id)", on: bench)
            }
            try await bench.query(
                """
                CREATE FUNCTION public.refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'broken'; END; $$
                """
            )
            try await bench.query(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON wallet.bookings FOR EACH ROW
                WHEN (NEW.class_id = 'broken') EXECUTE FUNCTION public.refuse()
                """
            )

            try await self.round("waitlists", on: bench)
            #expect(try await bench.credits(of: "waiter-whole") == "0")
            #expect(try await bench.credits(of: "waiter-broken") == "20")

            try await bench.query("DROP TRIGGER refuse ON wallet.bookings")
            try await self.round("waitlists", on: bench)
            #expect(try await bench.credits(of: "waiter-broken") == "0")
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `a member whose wallet is locked is served in a later round`() async throws {
        try await StoreBench.run { bench in
            try await self.makeClass("pottery", seats: 1, on: bench)
            try await self.give(20, to: ["ann", "bob"], on: bench)
            let booking = try await self.book("pottery", for: "ann", on: bench)
            try await self.wait(for: "pottery", "bob", on: bench)
            try await self.cancel(booking, of: "ann", on: bench)

            let admin = try await bench.database.connect()
            _ = try await admin.query("BEGIN")
            _ = try await admin.query("SELECT w.version FROM wallet.wallets AS w FOR UPDATE")
            try await self.round("waitlists", on: bench)
            #expect(try await bench.credits(of: "bob") == "20")
            _ = try await admin.query("ROLLBACK")
            admin.close()

            try await self.round("waitlists", on: bench)
            #expect(try await bench.credits(of: "bob") == "0")
        }
    }

    @Test(.database) func `every user is refunded when a class with many bookings is cancelled`() async throws {
        try await StoreBench.run { bench in
            let users = (0..<120).map { "member-\($0)" }
            try await self.makeClass("pottery", seats: 120, on: bench)
            try await self.give(20, to: users, on: bench)
            for user in users { _ = try await self.book("pottery", for: user, on: bench) }
            _ = try await bench.wallet.cancelClass(
                "pottery",
                reason: "The kiln is broken.",
                by: Self.operator,
                key: "cancel",
                in: .production
            )

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { try await self.round("classes", on: bench) } }
                try await group.waitForAll()
            }
            try await self.round("classes", on: bench)

            let outcome = try await bench.text(
                """
                SELECT concat_ws(' ', b.status, b.cancelled_by, sum(b.returned), count(*)) AS text
                FROM wallet.booking_details AS b GROUP BY b.status, b.cancelled_by
                """
            )
            #expect(outcome == "cancelled studio 2400 120")
            #expect(try await bench.credits(of: "member-7") == "20")
            #expect(try await bench.wallet.settleClasses(limit: 100) == 0)
            #expect(try await bench.violations().isEmpty)
        }
    }

    @Test(.database) func `the end of an unlimited plan cancels its bookings`() async throws {
        try await StoreBench.run { bench in
            let plan = "com.hobbyist.bookingapp.subscription.unlimited"
            _ = try await bench.buy(plan, for: "ann")
            try await bench.applyRevenueCat(of: "ann")
            let start = try await bench.wallet.now().addingTimeInterval(40 * 86_400)
            let definition = ClassDefinition(
                title: "Pottery",
                startsAt: start,
                endsAt: start.addingTimeInterval(7_200),
                capacity: 3,
                price: SeatPrice(credits: 20)
            )
            _ = try await bench.wallet.putClass("later", definition, by: Self.operator, key: "k", in: .production)
            #expect(try await self.book("later", for: "ann", on: bench).unit == nil)

            try await bench.query("SELECT wallet.advance_clock(INTERVAL '35 days')")
            try await self.round("subscriptions", on: bench)
            try await self.round("unlimited plans", on: bench)

            let outcome = try await bench.text(
                "SELECT concat_ws(' ', b.status, b.cancelled_by) AS text FROM wallet.booking_details AS b"
            )
            #expect(outcome == "cancelled wallet")
            #expect(try await bench.wallet.classSession("later", in: .production).seatsLeft == 3)
            #expect(try await bench.violations().isEmpty)
        }
    }
}
