import Foundation
import Postgres
import Testing
import WalletClient

/// Tests that each fault of an earlier design is impossible here.
///
/// Some tests move the clock, so the tests run one after the other.
@Suite(.untoldLiveWallet, .showingLog, .serialized) struct HobbyAppFaultTests {
    let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test func `1: concurrent bookings cannot spend a balance twice`() async throws {
        let user = try self.wallet.user("fault1")
        try await self.wallet.give(30, to: user)
        let classes = try await self.wallet.makeClasses(12, credits: 20)
        let answers = try await concurrently(12) { try await user.bookWithCredits(classes[$0]) }
        #expect(answers.count { $0.said == "201" } == 1)
        #expect(answers.count { $0.said == "402 INSUFFICIENT_CREDITS" } == 11)
        #expect(try await user.standing() == Standing(credits: 10, visits: 0, version: 2))
    }

    @Test func `2: a booking, its payment and its seat are atomic`() async throws {
        let users = try self.wallet.users(8, "fault2")
        try await self.wallet.give(20, to: users)
        let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
        let answers = try await concurrently(8) { try await users[$0].bookWithCredits(classID) }
        #expect(answers.count { $0.said == "201" } == 1)
        #expect(answers.count { $0.said == "409 CLASS_FULL" } == 7)
        #expect(try await self.wallet.seatsSold(classID) == 1)
        // The users without a seat have no booking to revert, and paid nothing.
        let rows = try await self.wallet.query(
            "SELECT count(*) AS bookings FROM wallet.bookings WHERE class_id = \(classID)"
        )
        #expect(try rows.first?.decode("bookings", as: Int64.self) == 1)
        let standings = try await users.asyncMap { try await $0.standing().credits }
        #expect(standings.sorted() == [0] + Array(repeating: 20, count: 7))
    }

    @Test func `3: every function has one signature`() async throws {
        let drifted = try await self.wallet.query(
            """
            SELECT p.proname::text FROM pg_catalog.pg_proc AS p
            WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace)
            GROUP BY p.proname HAVING count(*) > 1
            """
        )
        #expect(try drifted.map { try $0.decode("proname", as: String.self) } == [])
    }

    @Test func `4: a failed grant is reported`() async throws {
        let user = try self.wallet.user("fault4")
        try await self.wallet.give(5, to: user)
        let swallowing = try await self.wallet.query(
            """
            SELECT p.proname::text FROM pg_catalog.pg_proc AS p
            WHERE p.pronamespace = 'wallet'::regnamespace AND p.prosrc ~* 'when\\s+others'
            """
        )
        #expect(try swallowing.map { try $0.decode("proname", as: String.self) } == [])
        await #expect(throws: PostgresError.self) { try await self.wallet.give(Int64.max, to: user) }
        #expect(try await user.standing() == Standing(credits: 5, visits: 0, version: 1))
    }

    @Test func `5: an interrupted grant is made once when it is retried`() async throws {
        let user = try self.wallet.user("fault5")
        try await self.wallet.give(1, to: user)
        let sale = try await self.wallet.store.buy(SandboxStore.starter, for: user.id)
        let proof: [String: JSONValue] = ["receipt": .string(sale.signedTransaction)]
        // The lock on the wallet lets the claim be written but blocks the grant until the statement times out.
        let holder = try await self.wallet.connect()
        try await holder.execute(script: "BEGIN")
        try await holder.query(
            """
            SELECT w.version FROM wallet.wallets AS w INNER JOIN wallet.identities AS i USING (account_id)
            WHERE i.user_id = \(user.id) FOR UPDATE OF w
            """
        )
        let broken = try await user.call("validate-receipt", proof)
        #expect(broken.said == "503 WALLET_BUSY")
        try await holder.execute(script: "ROLLBACK")
        holder.close()
        let first = try await user.call("validate-receipt", proof)
        #expect(first["data", "idempotent"] == false)
        let again = try await concurrently(6) { _ in try await user.call("validate-receipt", proof) }
        #expect(again.allSatisfy { $0["data", "idempotent"] == true })
        #expect(try await user.standing() == Standing(credits: 26, visits: 0, version: 2))
    }

    @Test func `6: a cancellation returns the credits`() async throws {
        let user = try self.wallet.user("fault6")
        try await self.wallet.give(20, to: user)
        let booked = try await user.bookWithCredits(self.wallet.makeClass(credits: 20))
        let id = try #require(booked["data", "booking_id"])
        #expect(try await user.standing().credits == 0)
        let cancelled = try await user.call("bookings/cancel", ["booking_id": id])
        #expect(cancelled["data", "refund", "amount"] == 20)
        #expect(cancelled["data", "remaining_credits"] == 20)
        #expect(try await user.standing().credits == 20)
    }

    @Test func `7: a refund in the history is a refund in the balance`() async throws {
        let user = try self.wallet.user("fault7")
        try await self.wallet.give(50, to: user)
        for id in try await self.wallet.makeClasses(2, credits: 20) {
            let booked = try await user.bookWithCredits(id)
            _ = try await user.call("bookings/cancel", ["booking_id": try #require(booked["data", "booking_id"])])
        }
        let rows = try #require(try await user.call("credit-packs/transactions")["data"]?.items)
        #expect(rows.count { $0["transaction_type"] == "refund" } == 2)
        let sum = rows.compactMap { $0["credit_amount"]?.integerValue }.reduce(0, +)
        #expect(sum == 50)
        #expect(rows.first?["balance_after"] == 50)
        #expect(try await user.call("credit-packs/balance")["data", "credit_balance"] == 50)
    }

    @Test func `12: the functions that sell have a source, or name their replacement`() async throws {
        let user = try self.wallet.user("fault12")
        #expect(try await user.call("validate-receipt", [:]).said == "400 VALIDATION_ERROR")
        let card = try await user.call("purchase-credits", ["action": "create_payment_sheet"])
        #expect(card.said == "404 NOT_FOUND")
        #expect(card["error", "message"]?.stringValue?.contains("/functions/v1/validate-receipt") == true)
    }
}
