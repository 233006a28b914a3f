import Foundation
import Postgres
import TestSupport
import Testing

@testable import Wallet

/// Tests bookings whose account the service remembered with the token: they follow later changes of that account.
@Suite(.serialized) struct AdmittedAccountTests {
    private static let guest = UserID(rawValue: "guest")

    private static func caller(_ user: UserID, issuedAt: Date = .now, isAnonymous: Bool = false) -> Caller {
        Caller(user, issuedAt: issuedAt, isAnonymous: isAnonymous, account: AdmittedAccount())
    }

    private static func slug(_ body: () async throws -> BookingResult) async -> String {
        do {
            return try await body().booking.status
        } catch let error as WalletError {
            return error.slug
        } catch {
            return "\(error)"
        }
    }

    @Test func `a booking remembers its account, and the next booking uses it`() async throws {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            try await database.buy(for: .anna, "t1")
            let caller = Self.caller(.anna)
            let first = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: caller,
                in: .production,
                key: "a"
            )
            let known = try #require(caller.account?.known)
            // No identity has that id now, so a lookup of the user would create a second account.
            try await database.root.query("UPDATE wallet.identities SET user_id = 'nobody' WHERE user_id = 'anna'")
            let second = try await database.wallet.book(
                BookingRequest(classID: "spin"),
                for: caller,
                in: .production,
                key: "b"
            )
            #expect(second.balance.credits < first.balance.credits)
            let cancelled = try await database.wallet.cancel(first.booking.bookingID, for: caller, in: .production)
            #expect(cancelled.booking.status == "cancelled")
            #expect(caller.account?.known?.id == known.id)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `after a remembered account was deleted, only a newer token opens a new account`() async throws {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            try await database.buy(for: .anna, "t1")
            let old = Self.caller(.anna, issuedAt: .now - 60)
            let booking = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: old,
                in: .production,
                key: "a"
            ).booking
            try await database.wallet.deleteAccount(of: .anna)
            let wallet = database.wallet
            #expect(old.account?.known != nil)
            for key in ["a", "b"] {
                #expect(
                    await Self.slug {
                        try await wallet.book(BookingRequest(classID: "spin"), for: old, in: .production, key: key)
                    } == "unauthenticated"
                )
            }
            #expect(old.account?.known == nil)
            #expect(
                await Self.slug { try await wallet.cancel(booking.bookingID, for: old, in: .production) }
                    == "unauthenticated"
            )
            let new = Self.caller(.anna, issuedAt: .now + 1)
            #expect(
                await Self.slug {
                    try await wallet.book(BookingRequest(classID: "spin"), for: new, in: .production, key: "b")
                } == "insufficient-credits"
            )
            #expect(try await wallet.violations().isEmpty)
        }
    }

    @Test(arguments: ["book", "replay", "cancel"])
    func `a remembered account that was merged into another is refused for every request`(deed: String) async throws {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            let guest = Self.caller(Self.guest, isAnonymous: true)
            try await database.wallet.admit(guest)
            try await database.buy(for: Self.guest, "t1")
            let booking = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: guest,
                in: .production,
                key: "a"
            ).booking
            try await database.wallet.merge(Self.guest, into: .anna)
            #expect(guest.account?.known != nil)
            let wallet = database.wallet
            let answer = await Self.slug {
                switch deed {
                case "book":
                    try await wallet.book(BookingRequest(classID: "spin"), for: guest, in: .production, key: "b")
                case "replay":
                    try await wallet.book(BookingRequest(classID: "yoga"), for: guest, in: .production, key: "a")
                default: try await wallet.cancel(booking.bookingID, for: guest, in: .production)
                }
            }
            #expect(answer == "unauthenticated")
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a different account with the remembered number, as after a restore, is not used`()
        async throws
    {
        try await withWalkDatabase { database in
            for id in ["yoga", "spin"] { try await database.makeClass(id) }
            try await database.buy(for: .anna, "t1")
            try await database.buy(for: .ben, "t2")
            let caller = Self.caller(.anna)
            _ = try await database.wallet.book(BookingRequest(classID: "yoga"), for: caller, in: .production, key: "a")
            let ben = try #require(
                try await database.root.query(
                    """
                    SELECT a.account_id, a.created_at + interval '1 hour' AS at FROM wallet.accounts AS a
                    INNER JOIN wallet.identities AS i USING (account_id) WHERE i.user_id = 'ben'
                    """
                ).first
            )
            caller.account?.remember(.init(id: try ben.decode("account_id"), openedAt: try ben.decode("at")))
            let receipt = try await database.wallet.book(
                BookingRequest(classID: "spin"),
                for: caller,
                in: .production,
                key: "b"
            )
            #expect(receipt.balance.version == 3)
            #expect(caller.account?.known?.id != (try ben.decode("account_id")))
            caller.account?.remember(.init(id: 1_000_000, openedAt: .now))
            let replay = try await database.wallet.book(
                BookingRequest(classID: "spin"),
                for: caller,
                in: .production,
                key: "b"
            )
            #expect(replay.replayed)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }
}
