import Postgres
import TestSupport
import Testing
import WalletClient

extension HobbyAppFaultTests {
    @Test func `8: a promoted user pays, and one who cannot pay is skipped`() async throws {
        let holder = try self.wallet.user("fault8")
        let (poor, rich) = (try self.wallet.user("fault8-poor"), try self.wallet.user("fault8-rich"))
        try await self.wallet.give(20, to: [holder, rich])
        let classID = try await self.wallet.makeClass(credits: 20, seats: 1)
        let booked = try await holder.bookWithCredits(classID)
        for user in [poor, rich] {
            try await self.wallet.query(
                """
                SELECT wallet.join_waitlist(
                    wallet.account_for(\(user.id)), 'production', \(classID), 1, NULL, NULL
                )
                """
            )
        }
        _ = try await holder.call("bookings/cancel", ["booking_id": try #require(booked["data", "booking_id"])])
        try await eventually("the seat goes to somebody") {
            try await self.wallet.query("SELECT wallet.promote_next(\(classID), 'production')")
            return try await rich.call("bookings/upcoming")["data"]?.items.count == 1
        }
        #expect(try await rich.standing() == Standing(credits: 0, visits: 0, version: 2))
        #expect(try await poor.call("bookings/upcoming")["data"]?.items.isEmpty == true)
        #expect(try await poor.standing().credits == 0)
        #expect(try await self.wallet.seatsSold(classID) == 1)
    }

    @Test func `9: a month rolls over once, however often it is retried`() async throws {
        let user = try self.wallet.user("fault9")
        let sale = try await self.wallet.store.buy(SandboxStore.enthusiastPlan, for: user.id)
        _ = try await user.submit(sale.receipt)
        #expect(try await user.standing().visits == 10)
        try await self.wallet.store.advanceClock(days: 30, seconds: 5)
        let renewal = try await self.wallet.store.change(sale, "renew")
        #expect(try await user.submit(renewal.receipt).status == 200)
        _ = try await concurrently(6) { _ in
            try await self.wallet.query("SELECT wallet.sweep(100)")
            return try await self.wallet.query(
                """
                SELECT wallet.settle(l.account_id, l.lot_id, p_rolls => TRUE) FROM wallet.lots AS l
                INNER JOIN wallet.identities AS i USING (account_id) WHERE i.user_id = \(user.id)
                """
            ).count
        }
        #expect(try await user.booked("rollover") == (1, 5))
        #expect(try await user.standing().visits == 15)
    }

    @Test(arguments: ["wallet_service", "wallet_admin", "wallet_auditor"])
    func `10: no role may set a balance`(role: String) async throws {
        for table in ["wallet.wallets SET credits = 1000000", "wallet.lots SET granted = 1000000"] {
            #expect(try await self.refusal(of: "UPDATE \(table)", as: role) == "42501")
        }
        #expect(try await self.refusal(of: "DELETE FROM wallet.entries", as: role) == "42501")
    }

    @Test(arguments: ["wallet_service", "wallet_admin", "wallet_auditor"])
    func `11: no role may create credits`(role: String) async throws {
        let adjusts = try await self.wallet.query(
            """
            SELECT p.oid::regprocedure::text AS name FROM pg_catalog.pg_proc AS p
            WHERE p.pronamespace = 'wallet'::regnamespace
                AND p.proname IN ('adjust', 'open_lot', 'post_lot', 'post', 'grant_claim', 'sync_claim')
                AND has_function_privilege(\(role), p.oid, 'EXECUTE')
            """
        )
        #expect(try adjusts.map { try $0.decode("name", as: String.self) } == [])
        let everybodys = try await self.wallet.query(
            """
            SELECT p.proname::text AS name FROM pg_catalog.pg_proc AS p
            CROSS JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
            WHERE p.pronamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND a.grantee = 0
            """
        )
        #expect(try everybodys.map { try $0.decode("name", as: String.self) } == [])
        let minting = "SELECT wallet.adjust(1, 'production', 'credit', 1000, 'r', 'a', 'b')"
        #expect(try await self.refusal(of: minting, as: role) == "42501")
    }

    /// Returns the SQLSTATE with which PostgreSQL refuses a statement to a role, or nil if it succeeds.
    private func refusal(of statement: String, as role: String) async throws -> String? {
        let connection = try await self.wallet.connect()
        defer { connection.close() }
        try await connection.execute(script: "SET ROLE \(role)")
        do {
            try await connection.execute(script: "BEGIN; \(statement); ROLLBACK")
            return nil
        } catch {
            return error.sqlState
        }
    }
}
