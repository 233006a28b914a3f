import Foundation
import Postgres
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of administrators who work in SQL while users book.
    ///
    /// The tests run one after the other. Waiting bookings are decided in one batch, so a wallet that one test locks
    /// for long could make another test's booking fail as busy.
    @Suite(.serialized) struct AdministratorTests {
        private let wallet: LiveWallet

        init() throws {
            self.wallet = try LiveWallet.current
        }

        @Test func `an open transaction on one wallet leaves the others running`() async throws {
            let held = try self.wallet.user("held")
            let others = try self.wallet.users(8, "free")
            try await self.wallet.give(200, to: others)
            try await self.wallet.give(50, to: [held])
            let classID = try await self.wallet.makeClass(credits: 20)
            let admin = try await self.wallet.connect()
            try await admin.execute(script: "BEGIN")
            try await admin.query("UPDATE admin.wallets SET credits = 60, reason = 'gift' WHERE user_id = \(held.id)")

            var took = Duration.seconds(60)
            // A busy machine may need longer once. Bookings that wait for the wallet need longer every time.
            for round in 1...9 where took >= .seconds(2) {
                let classOfOthers = round == 1 ? classID : try await self.wallet.makeClass(credits: 20)
                async let waiting = held.book(class: classID, key: "mine")
                let started = ContinuousClock.now
                let answers = try await concurrently(8) { (index: Int) in
                    try await others[index].book(class: classOfOthers)
                }
                took = ContinuousClock.now - started
                #expect(answers.allSatisfy { $0.outcome == "201" })
                // Reads do not wait for locks.
                #expect(try await held.standing().credits == 50)
                let refused = try await waiting
                #expect(refused.outcome == "503 wallet-busy")
                #expect((refused.retryAfter ?? 0) >= 1)
            }
            #expect(took < .seconds(2))

            try await admin.execute(script: "COMMIT")
            admin.close()
            #expect(try await held.book(class: classID, key: "mine").outcome == "201")
            #expect(try await held.book(class: classID, key: "mine").outcome == "200")
            #expect(try await held.standing() == Standing(credits: 40, visits: 0, version: 3))
            #expect(try await self.wallet.seatsSold(classID) == 9)
        }

        // Guarantee: never-overspent
        @Test func `an update that races bookings never undoes one`() async throws {
            let user = try self.wallet.user("raced")
            try await self.wallet.give(1_000, to: user)
            let classes = try await self.wallet.makeClasses(25, credits: 10)

            async let gifts = self.raise(user, times: 60)
            let answers = try await concurrently(25) { (index: Int) in try await user.book(class: classes[index]) }
            let posted = try await gifts

            #expect(answers.allSatisfy { $0.outcome == "201" })
            let credits: Int64 = 750 + 5 * posted
            let version: Int64 = 26 + posted
            let expected = Standing(credits: credits, visits: 0, version: version)
            #expect(try await user.standing() == expected)
            #expect(try await user.client.bookings(limit: 100).items.filter { $0.status == "booked" }.count == 25)
            try await self.wallet.expectIntactBooks()
        }

        // Guarantee: append-only
        @Test func `an adjustment is posted with its actor and reason, and the ledger cannot be changed`() async throws
        {
            let user = try self.wallet.user("adjusted")
            try await self.wallet.give(50, to: user)
            try await self.wallet.query(
                "UPDATE admin.wallets SET credits = 20, reason = 'goodwill undone' WHERE user_id = \(user.id)"
            )
            let entry = try #require(try await user.client.transactions().items.first)
            #expect(entry.kind == "adjust")
            #expect(entry.amount == -30)
            #expect(entry.reason == "goodwill undone")

            for statement in ["UPDATE wallet.entries SET amount = 0", "DELETE FROM wallet.entries"] {
                let error = await #expect(throws: PostgresError.self) {
                    try await self.wallet.query(Query(unsafeSQL: statement))
                }
                #expect(error?.message == "ledger-is-append-only")
            }
            #expect(try await user.standing() == Standing(credits: 20, visits: 0, version: 2))
        }

        /// Adds 5 credits repeatedly; the database must refuse a statement that read an outdated balance.
        private func raise(_ user: LiveUser, times: Int) async throws -> Int64 {
            let admin = try await self.wallet.connect()
            defer { admin.close() }
            var posted: Int64 = 0
            for _ in 0..<times where try await self.isRaised(user, by: admin) { posted += 1 }
            return posted
        }

        private func isRaised(_ user: LiveUser, by admin: Connection) async throws -> Bool {
            do {
                try await admin.query(
                    "UPDATE admin.wallets SET credits = credits + 5, reason = 'raise' WHERE user_id = \(user.id)"
                )
                return true
            } catch {
                guard error.detail?.hasPrefix("wallet-moved ") == true else { throw error }
                return false
            }
        }
    }
}
