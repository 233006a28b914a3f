import Foundation
import Postgres
import TestSupport
import Testing
import WalletClient

/// Tests of expiry, by the clock that the sandbox stores and the wallet share.
///
/// Every test moves the clock, so the tests run one after the other.
@Suite(.liveWallet, .showingLog, .serialized) struct ExpiryTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test func `with the sweeper stopped a pass lapses in balance, booking, ETag and verify`() async throws {
        let user = try self.wallet.user("visitor")
        try await self.stopSweeper()
        let sale = try await self.wallet.store.buy("singleVisit", for: user.id)
        #expect(try await user.submit(sale.receipt).status == 200)
        let tag = try await self.entityTag(of: user)
        let lot = try #require(try await user.client.balance().lots.first)
        #expect(lot.remaining == 1)
        let end = try #require(lot.expiresAt)
        #expect(abs(end.timeIntervalSince(try await self.wallet.store.now()) - 30 * 86_400) < 60)
        let late = try await self.wallet.makeClass(visits: 1, inDays: 40)
        #expect(try await user.book(class: late).outcome == "402 insufficient-credits")
        #expect(try await self.isUnchanged(since: tag, user))

        try await self.wallet.store.advanceClock(days: 30, seconds: -300)
        // A message that failed is due again as soon as the clock has moved; applying it posts due lapses.
        try await eventually("no message waits for another attempt") {
            try await self.wallet.query("SELECT FROM admin.webhook_inbox WHERE status IN ('new', 'failed')").isEmpty
        }
        let soon = try await self.wallet.makeClass(visits: 1, inDays: 1)
        #expect(try await user.book(class: soon).outcome == "402 insufficient-credits")
        #expect(try await user.standing() == Standing(credits: 0, visits: 1, version: 1))
        #expect(try await self.isUnchanged(since: tag, user))

        try await self.wallet.store.advanceClock(days: 0, seconds: 600)
        #expect(try await !self.isUnchanged(since: tag, user))
        let lapsed = try await user.standing()
        #expect(lapsed == Standing(credits: 0, visits: 0, version: 1))
        #expect(try await user.client.balance().lots.isEmpty)
        #expect(try await user.client.balance().upcomingExpirations.isEmpty)
        try await self.expectVerified()

        // The first transaction that locks the wallet posts due lapses and changes no other entry.
        #expect(try await user.book(class: late).outcome == "402 insufficient-credits")
        #expect(try await user.standing() == Standing(credits: 0, visits: 0, version: 2))
        #expect(try await user.client.transactions().items.map(\.kind) == ["lapse", "grant"])
        try await self.expectVerified()
    }

    @Test func `a booking uses the earliest expiry first, and a late cancellation returns nothing`() async throws {
        let user = try self.wallet.user("planner")
        for product in ["fiveVisit", "singleVisit"] {
            let sale = try await self.wallet.store.buy(product, for: user.id)
            #expect(try await user.submit(sale.receipt).status == 200)
        }
        let classID = try await self.wallet.makeClass(visits: 1, inDays: 2)
        let booking = try await user.client.book(classID: classID).booking
        let left = try await user.client.balance().lots
        #expect(left.map(\.productID) == ["fiveVisit"])
        #expect(booking.cancellation.freeUntil == booking.startsAt - 86_400)

        try await self.wallet.store.advanceClock(days: 1, seconds: 600)
        let cancelled = try await user.client.cancel(booking.bookingID).booking
        #expect(cancelled.isLateCancel == true)
        #expect(cancelled.returned?.amount == 0)
        #expect(try await user.client.balance().visits == 5)
        #expect(try await user.client.classSession(classID).seatsLeft == 20)
    }

    @Test func `a class that has begun accepts no bookings and no cancellations`() async throws {
        let user = try self.wallet.user("late")
        try await self.wallet.give(50, to: user)
        let classID = try await self.wallet.makeClass(credits: 20, inDays: 1)
        let booking = try await user.client.book(classID: classID).booking
        try await self.wallet.store.advanceClock(days: 1, seconds: 60)

        let id = booking.bookingID.uuidString
        #expect(try await user.send(.post, "/bookings/\(id)/cancel").outcome == "409 not-cancellable")
        #expect(try await self.wallet.user().book(class: classID).outcome == "409 class-closed")
        #expect(try await user.client.bookings(status: .past).items == [booking])
        #expect(try await user.standing() == Standing(credits: 30, visits: 0, version: 2))
    }

    @Test func `the sweeper posts due lapses automatically`() async throws {
        let user = try self.wallet.user("swept")
        try await self.startSweeper()
        let sale = try await self.wallet.store.buy("singleVisit", for: user.id)
        #expect(try await user.submit(sale.receipt).status == 200)
        try await self.wallet.store.advanceClock(days: 31)
        try await eventually("the sweeper posts the lapse") {
            try await user.standing() == Standing(credits: 0, visits: 0, version: 2)
        }
        try await self.expectVerified()
    }

    private func entityTag(of user: LiveUser) async throws -> String {
        try #require(try await user.send(.get, "/balance").header("etag"))
    }

    private func isUnchanged(since tag: String, _ user: LiveUser) async throws -> Bool {
        let answer = try await user.send(.get, "/balance", headers: [("if-none-match", tag)])
        #expect([200, 304].contains(answer.status))
        #expect((answer.status == 304) == answer.body.isEmpty)
        return answer.status == 304
    }

    private func expectVerified(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let verdict = try await self.wallet.verify()
        #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: sourceLocation)
    }

    /// Makes the sweeper and the checks of warnings fail from now on, as if they did not run: both post lapses.
    private func stopSweeper() async throws {
        try await self.wallet.query("REVOKE EXECUTE ON FUNCTION \(unescaped: Self.posting) FROM wallet_service")
    }

    private func startSweeper() async throws {
        try await self.wallet.query("GRANT EXECUTE ON FUNCTION \(unescaped: Self.posting) TO wallet_service")
    }

    private static let posting = "wallet.sweep(integer), wallet.warn(bigint, bigint, interval, integer)"
}
