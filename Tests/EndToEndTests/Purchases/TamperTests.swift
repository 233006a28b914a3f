import Foundation
import Postgres
import Testing
import WalletClient

/// Tests in which a superuser writes into the tables and `credit-wallet verify` finds it.
@Suite(.liveWallet, .showingLog, .serialized) struct TamperTests {
    private let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    @Test(arguments: Tampering.all)
    func `verify names the wallet and the version, and exits with 1`(tampering: Tampering) async throws {
        let user = try self.wallet.user("victim")
        try await self.wallet.give(50, to: user)
        let booked = try await user.book(class: self.wallet.makeClass(credits: 20))
        #expect(booked.outcome == "201")
        #expect(try await self.wallet.verify().status == 0)
        let account = try await self.account(of: user)
        // The sums are built before the change, so that they keep the original amounts.
        _ = try await self.wallet.query(
            """
            SELECT wallet.sum_days(1000000) AS summed
            FROM pg_advisory_xact_lock(hashtextextended('wallet.daily_sums', 0))
            """
        )

        try await self.write(tampering.deed, account)
        let verdict = try await self.wallet.verify()
        #expect(verdict.status == 1)
        let lines = verdict.output.split(separator: "\n").filter { $0.contains(": production account \(account) ") }
        #expect(lines.contains { $0.contains("version \(tampering.version)") }, "\(verdict.output)")
        #expect(Set(lines.compactMap { $0.split(separator: ":").first }).isSuperset(of: tampering.invariants))

        try await self.write(tampering.undoing, account)
        #expect(try await self.wallet.verify().status == 0)
    }

    private func account(of user: LiveUser) async throws -> Int64 {
        let rows = try await self.wallet.query("SELECT account_id FROM wallet.identities WHERE user_id = \(user.id)")
        return try #require(rows.first).decode("account_id")
    }

    private func write(_ statements: String, _ account: Int64) async throws {
        let connection = try await self.wallet.connect()
        defer { connection.close() }
        let deed = statements.replacing("$account", with: "\(account)")
        try await connection.execute(
            script: """
                BEGIN;
                SET LOCAL session_replication_role = replica;
                \(deed);
                COMMIT;
                """
        )
    }
}

/// A superuser's change to the tables, the statement that reverts it, and the expected finding.
struct Tampering: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let deed: String
    let undoing: String
    let version: Int
    let invariants: Set<Substring>

    private static let entry = "account_id = $account AND environment = 'production' AND version"

    static let all = [
        Tampering(
            testDescription: "an entry with another amount",
            deed: "UPDATE wallet.entries SET amount = -10 WHERE \(Self.entry) = 2",
            undoing: "UPDATE wallet.entries SET amount = -20 WHERE \(Self.entry) = 2",
            version: 2,
            invariants: ["chain_hashes", "running_balances"]
        ),
        Tampering(
            testDescription: "an entry that is gone",
            deed: """
                CREATE TABLE public.hidden AS SELECT * FROM wallet.entries WHERE \(Self.entry) = 1;
                DELETE FROM wallet.entries WHERE \(Self.entry) = 1
                """,
            undoing: "INSERT INTO wallet.entries SELECT * FROM public.hidden; DROP TABLE public.hidden",
            version: 2,
            invariants: ["versions", "chain_links"]
        ),
        Tampering(
            testDescription: "a lot off by one",
            deed: "UPDATE wallet.lots SET spent = spent - 1 WHERE account_id = $account",
            undoing: "UPDATE wallet.lots SET spent = spent + 1 WHERE account_id = $account",
            version: 2,
            invariants: ["wallet_sums"]
        ),
        Tampering(
            testDescription: "another hash",
            deed: "UPDATE wallet.entries SET hash = sha256(hash) WHERE \(Self.entry) = 1",
            undoing: """
                UPDATE wallet.entries AS e SET hash = n.prev_hash FROM wallet.entries AS n
                WHERE e.account_id = $account AND e.version = 1
                    AND n.account_id = e.account_id AND n.environment = e.environment AND n.version = 2
                """,
            version: 1,
            invariants: ["chain_hashes"]
        ),
        Tampering(
            testDescription: "a balance that nobody posted",
            deed: "UPDATE wallet.wallets SET credits = credits + 1 WHERE account_id = $account",
            undoing: "UPDATE wallet.wallets SET credits = credits - 1 WHERE account_id = $account",
            version: 2,
            invariants: ["wallet_sums"]
        ),
    ]
}
