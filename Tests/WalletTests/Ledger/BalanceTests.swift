import Foundation
import Postgres
import Stores
import TestSupport
import Testing
import Wallet

/// Tests balances and the entity tags that identify their states.
@Suite(.serialized) struct BalanceTests {
    @Test func `an unknown user has an empty balance and leaves no trace`() async throws {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            let balance = try await wallet.balance(of: .nobody, in: .production)
            #expect(balance.credits == 0 && balance.visits == 0 && balance.version == 0 && !balance.unlimited)
            #expect(balance.owedCredits == 0 && balance.owedVisits == 0)
            #expect(balance.lots.isEmpty && balance.upcomingExpirations.isEmpty)
            let page = PageRequest()
            #expect(try await wallet.transactions(of: .nobody, in: .production, page: page).items.isEmpty)
            #expect(try await wallet.purchases(of: .nobody, in: .sandbox, page: page).items.isEmpty)
            #expect(try await wallet.bookings(of: .nobody, in: .production, filter: nil, page: page).items.isEmpty)
            #expect(try await wallet.subscriptions(of: .nobody, in: .production).tier == 0)
            let error = try await outcome { try await wallet.booking(UUID(), of: .nobody, in: .production) }
            #expect(throws: WalletError(status: 404, slug: "booking-not-found")) { try error.get() }
            #expect(try await database.root.query("SELECT FROM wallet.accounts").isEmpty)
        }
    }

    @Test func `the entity tag changes with each movement and only then`() async throws {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            func tag() async throws -> String { try await wallet.balance(of: .anna, in: .production).entityTag }
            var tags = [try await tag()]
            try await database.buy(for: .anna, "t1")
            tags.append(try await tag())
            try await database.buy(for: .anna, "t1")
            #expect(try await tag() == tags.last)
            try await database.makeClass("yoga")
            let new = BookingRequest(classID: "yoga")
            _ = try await wallet.quote(new, for: .anna, in: .production)
            #expect(try await tag() == tags.last)
            let receipt = try await wallet.book(new, for: .anna, in: .production, key: "k")
            tags.append(try await tag())
            _ = try await wallet.book(new, for: .anna, in: .production, key: "k")
            _ = try await outcome { try await wallet.book(new, for: .anna, in: .production, key: "another") }
            #expect(try await tag() == tags.last)
            _ = try await wallet.cancel(receipt.booking.bookingID, for: .anna, in: .production)
            tags.append(try await tag())
            _ = try await wallet.cancel(receipt.booking.bookingID, for: .anna, in: .production)
            #expect(try await tag() == tags.last)
            #expect(Set(tags).count == tags.count)
            #expect(try await wallet.balance(of: .anna, in: .sandbox).entityTag != tags[0])
        }
    }

    @Test func `an expiry changes balance and tag even before the sweep`() async throws {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            let now = Date(timeIntervalSince1970: try await wallet.now().timeIntervalSince1970.rounded(.down))
            // Two expiries in one second: each changes the balance separately.
            for (number, seconds) in [3_600.1, 3_600.5].enumerated() {
                try await database.admin.query(
                    """
                    INSERT INTO admin.adjustments (reference, user_id, unit, amount, reason, expires_at, new_user)
                    VALUES (\("a\(number)"), 'anna', 'visit', 2, 'a trial', \(now.addingTimeInterval(seconds)), TRUE)
                    """
                )
            }
            let before = try await wallet.balance(of: .anna, in: .production)
            #expect(before.visits == 4)
            #expect(before.upcomingExpirations.map(\.amount) == [2, 2])
            try await database.advance(3_500)
            let still = try await wallet.balance(of: .anna, in: .production)
            #expect(still.visits == 4 && still.entityTag == before.entityTag)
            try await database.stopClock(at: now.addingTimeInterval(3_600.3))
            let half = try await wallet.balance(of: .anna, in: .production)
            #expect(half.visits == 2 && half.version == before.version && half.entityTag != before.entityTag)
            try await database.stopClock(at: now.addingTimeInterval(3_600.7))
            let gone = try await wallet.balance(of: .anna, in: .production)
            #expect(gone.visits == 0 && gone.version == before.version && gone.lots.isEmpty)
            #expect(![before.entityTag, half.entityTag].contains(gone.entityTag))
            #expect(try await wallet.violations().isEmpty)
            #expect(try await wallet.sweep(limit: 10) == 1)
            let swept = try await wallet.balance(of: .anna, in: .production)
            #expect(swept.visits == 0 && swept.version == before.version + 2)
            #expect(try await wallet.violations().isEmpty)
        }
    }

    @Test func `a plan that stops renewing changes the tag, because the next rollover is gone`() async throws {
        try await withWalkDatabase { database in
            var fact = try await database.fact("t1", "com.hobbyist.bookingapp.subscription.enthusiast")
            fact.kind = .subscription
            fact.originalTransactionID = "t1"
            fact.expiresAt = fact.purchasedAt.addingTimeInterval(30 * 86_400)
            fact.willRenew = true
            _ = try await database.wallet.apply(fact, submittedBy: .anna)
            let renewing = try await database.wallet.balance(of: .anna, in: .production)
            #expect(renewing.nextRolloverAt != nil)
            fact.willRenew = false
            fact.sourceAt.addTimeInterval(1)
            _ = try await database.wallet.apply(fact, submittedBy: .anna)
            let ending = try await database.wallet.balance(of: .anna, in: .production)
            #expect(ending.nextRolloverAt == nil && ending.version == renewing.version)
            #expect(ending.entityTag != renewing.entityTag)
        }
    }

    @Test func `a period that the store extends changes the tag, although no entry is posted`() async throws {
        try await withWalkDatabase { database in
            var fact = try await database.fact("t1", "com.hobbyist.bookingapp.subscription.explorer")
            fact.kind = .subscription
            fact.originalTransactionID = "t1"
            fact.expiresAt = fact.purchasedAt.addingTimeInterval(30 * 86_400)
            _ = try await database.wallet.apply(fact, submittedBy: .anna)
            let before = try await database.wallet.balance(of: .anna, in: .production)
            fact.expiresAt = fact.purchasedAt.addingTimeInterval(37 * 86_400)
            fact.sourceAt.addTimeInterval(1)
            _ = try await database.wallet.apply(fact, submittedBy: .anna)
            let extended = try await database.wallet.balance(of: .anna, in: .production)
            #expect(extended.version == before.version && extended.nextRolloverAt == nil)
            #expect(extended.lots.map(\.expiresAt) != before.lots.map(\.expiresAt))
            #expect(extended.entityTag != before.entityTag)
        }
    }

    @Test func `an expired lot pays for nothing even before the sweep`() async throws {
        try await withWalkDatabase { database in
            let now = try await database.wallet.now()
            try await database.makeClass("yoga")
            try await database.admin.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, unit, amount, reason, expires_at, new_user)
                VALUES ('a', 'anna', 'credit', 30, 'a trial', \(now.addingTimeInterval(3 * 86_400)), TRUE)
                """
            )
            let new = BookingRequest(classID: "yoga")
            #expect(try await database.wallet.quote(new, for: .anna, in: .production).amount == 25)
            try await database.advance(3 * 86_400)
            try await database.makeClass("later")
            let late = BookingRequest(classID: "later")
            for _ in 0..<2 {
                let refused = try await outcome {
                    try await database.wallet.book(late, for: .anna, in: .production, key: "k")
                }
                #expect([refused].refusals == ["insufficient-credits": 1])
            }
            let entries = try await database.wallet.transactions(of: .anna, in: .production, page: PageRequest())
            #expect(entries.items.map(\.kind) == ["lapse", "adjust"])
            #expect(try await database.wallet.violations().isEmpty)
        }
    }
}

extension WalkDatabase {
    /// Fixes the time for all readers: replaces the clock's function, which only a superuser can do.
    func stopClock(at instant: Date) async throws {
        let micros = Int64((instant.timeIntervalSince1970 * 1_000_000).rounded())
        try await self.root.execute(
            script: """
                CREATE OR REPLACE FUNCTION wallet.now() RETURNS timestamptz LANGUAGE sql VOLATILE SECURITY DEFINER
                SET search_path = wallet, pg_temp
                AS $$ SELECT timestamptz 'epoch' + \(micros) * interval '1 microsecond' $$;
                """
        )
    }
}
