import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Changes to the tables with triggers disabled are still detected, with the invariant, the account and the version.
@Suite(.serialized) struct TamperingTests {
    @Test func `a tampered entry is found`() async throws {
        let found = try await Self.tamper("UPDATE wallet.entries SET amount = amount + 1 WHERE version = 2")
        #expect(found.contains("chain_hashes 2"))
        #expect(found.contains("running_balances 2"))
        #expect(found.contains("ledger_sums 4"))
    }

    @Test func `a tampered entry with a matching hash is found at the next one`() async throws {
        let found = try await Self.tamper(
            """
            UPDATE wallet.entries SET kind = 'adjust' WHERE version = 2;
            UPDATE wallet.entries AS e SET hash = wallet.entry_hash(e) WHERE version = 2
            """
        )
        #expect(!found.contains("chain_hashes 2"))
        #expect(found.contains("chain_links 3"))
    }

    // Guarantee: append-only
    @Test func `a rewritten last entry is found at the wallet`() async throws {
        let found = try await Self.tamper(
            """
            UPDATE wallet.entries SET kind = 'grant' WHERE version = 4;
            UPDATE wallet.entries AS e SET hash = wallet.entry_hash(e) WHERE version = 4
            """
        )
        #expect(found.contains("chain_links 4"))
    }

    @Test func `a missing entry is found`() async throws {
        let found = try await Self.tamper("DELETE FROM wallet.entries WHERE version = 2")
        #expect(found.contains("versions 3"))
        #expect(found.contains("chain_links 3"))
    }

    // Guarantee: append-only
    @Test func `a missing last entry is found`() async throws {
        let found = try await Self.tamper("DELETE FROM wallet.entries WHERE version = 4")
        #expect(found.contains("versions 4"))
    }

    @Test func `a lot off by one is found`() async throws {
        let found = try await Self.tamper(
            "UPDATE wallet.lots SET spent = spent + 1 WHERE lot_id = (SELECT min(lot_id::text)::uuid FROM wallet.lots)"
        )
        #expect(found.contains("lots -"))
        #expect(found.contains("wallet_sums 4"))
    }

    @Test func `a balance off by one is found`() async throws {
        let found = try await Self.tamper("UPDATE wallet.wallets SET credits = credits + 1")
        #expect(found.contains("wallet_sums 4"))
        #expect(found.contains("ledger_sums 4"))
    }

    @Test func `a changed hash is found there and at the next entry`() async throws {
        let found = try await Self.tamper(
            "UPDATE wallet.entries SET hash = sha256(hash) WHERE version = 2"
        )
        #expect(found.contains("chain_hashes 2"))
        #expect(found.contains("chain_links 3"))
    }

    @Test func `a changed reason is found, and an erased one is accepted`() async throws {
        let erased = try await Self.tamper("DELETE FROM wallet.entry_texts")
        #expect(erased.isEmpty)
        let changed = try await Self.tamper("UPDATE wallet.entry_texts SET reason = 'another'")
        #expect(changed == ["texts 4"])
    }

    @Test func `a booking and seats that do not match their entries are found`() async throws {
        let booking = try await Self.tamper("UPDATE wallet.bookings SET amount = amount + 1")
        #expect(booking.contains("bookings 2"))
        let seats = try await Self.tamper("UPDATE wallet.class_seats SET sold = sold + 1")
        #expect(seats.contains("seats -"))
    }

    /// Writes to the tables of a sound wallet with four entries.
    ///
    /// Returns the findings as invariant names and versions; all must concern the wallet's own account.
    private static func tamper(_ script: String) async throws -> Set<String> {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            try await database.makeClass("yoga")
            try await database.buy(for: .anna, "t1")
            _ = try await wallet.book(BookingRequest(classID: "yoga"), for: .anna, in: .production, key: "k")
            try await database.buy(for: .anna, "t2")
            try await database.admin.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
                VALUES ('a', 'anna', 5, 'goodwill', TRUE)
                """
            )
            try await database.buy(for: .ben, "t3")
            #expect(try await wallet.violations().isEmpty)
            let account = try await database.root.query("SELECT wallet.account_for('anna') AS id").first?
                .decode("id", as: Int64.self)
            let mine = script.replacing(
                "WHERE version",
                with: "WHERE account_id = wallet.account_for('anna') AND version"
            )
            try await database.root.execute(
                script: "SET session_replication_role = replica; \(mine); SET session_replication_role = origin"
            )
            let violations = try await wallet.violations()
            return Set(
                violations.filter { $0.accountID == account || $0.accountID == nil }.map {
                    "\($0.invariant) \($0.version.map { "\($0)" } ?? "-")"
                }
            )
        }
    }
}
