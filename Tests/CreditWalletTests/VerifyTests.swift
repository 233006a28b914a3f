import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct VerifyTests {
    /// Damages that a superuser could do to the ledger, each with the invariant that detects it.
    static let damages: [(statement: String, finding: String)] = [
        (
            "UPDATE wallet.entries SET amount = amount + 1 WHERE version = 2",
            "chain_hashes: production account 1 version 2"
        ),
        ("DELETE FROM wallet.entries WHERE version = 2", "versions: production account 1 version 3"),
        ("UPDATE wallet.lots SET spent = spent + 1 WHERE source = 'pack'", "lots: production account 1"),
        (
            "UPDATE wallet.entries SET hash = sha256('x') WHERE version = 2",
            "chain_links: production account 1 version 3"
        ),
        ("UPDATE wallet.wallets SET credits = credits + 1", "wallet_sums: production account 1 version 3"),
    ]

    @Test(.database) func `intact books pass`() async throws {
        try await self.makeBooks()

        for arguments in [["verify"], ["verify", "--deep"]] {
            let result = try await self.run(arguments)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output == "The books are intact.\n")
        }
    }

    @Test(.emptyDatabase) func `a database without books is not reported as corrupt`() async throws {
        for arguments in [["verify"], ["verify", "--deep"]] {
            let result = try await self.run(arguments)
            #expect(result.status == 69)
            #expect(result.errors == "credit-wallet: The database is not migrated; run credit-wallet migrate.\n")
        }
    }

    @Test(.database) func `damage is reported as JSON for scripts`() async throws {
        try await self.makeBooks()
        #expect(try await self.run(["verify", "--json"]).output.contains("\"intact\" : true"))
        try await self.execute(
            "SET session_replication_role = replica; UPDATE wallet.wallets SET credits = credits + 1"
        )
        let result = try await self.run(["verify", "--json"])
        #expect(result.status == 1)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(report["intact"] as? Bool == false)
        let rows = try #require(report["violations"] as? [[String: Any]])
        #expect(rows.contains { $0["invariant"] as? String == "wallet_sums" && $0["version"] as? Int == 3 })
    }

    @Test(.database, arguments: damages)
    func `damage is reported with its wallet and version`(damage: (statement: String, finding: String)) async throws {
        try await self.makeBooks()
        try await self.execute("SET session_replication_role = replica; \(damage.statement)")

        let result = try await self.run(["verify"])

        #expect(result.status == 1)
        #expect(result.output.contains(damage.finding), "\(result.output)")
    }

    // Guarantee: append-only
    @Test(.database) func `deep finds what a replaced hash function hides`() async throws {
        try await self.makeBooks()
        try await self.execute(
            """
            SET session_replication_role = replica;
            UPDATE wallet.entries SET reason_digest = sha256('forged') WHERE version = 2;
            CREATE OR REPLACE FUNCTION wallet.entry_hash(p_entry wallet.entries) RETURNS bytea
            LANGUAGE sql STABLE SET search_path = wallet, pg_temp AS 'SELECT p_entry.hash';
            """
        )

        let shallow = try await self.run(["verify"])
        let deep = try await self.run(["verify", "--deep"])

        #expect(!shallow.output.contains("chain_hashes"))
        #expect(deep.status == 1)
        #expect(deep.output.contains("chain_hashes: production account 1 version 2"), "\(deep.output)")
    }

    @Test(.database) func `an auditor may verify deeply, the service and administrators may not`() async throws {
        try await self.makeBooks()

        let auditor = try await self.run(["verify", "--deep"], as: "wallet_auditor")
        let service = try await self.run(["verify", "--deep"], as: "wallet_service")
        let administrator = try await self.run(["verify"], as: "wallet_admin")

        #expect(auditor.status == 0, "\(auditor.errors)")
        #expect(auditor.output == "The books are intact.\n")
        for refused in [service, administrator] {
            #expect(refused.status == 78)
            #expect(refused.errors.contains("The database role may not read the books."), "\(refused.errors)")
        }
    }

    /// Creates three entries of one wallet by buying three packs.
    private func makeBooks() async throws {
        try await self.execute(
            """
            SELECT wallet.enable_store('app_store', '2020-01-01');
            SELECT wallet.apply_fact(wallet.account_for('user-1'), jsonb_build_object(
                'store', 'app_store', 'environment', 'production', 'transaction_id', (1000 + n)::TEXT,
                'original_transaction_id', (1000 + n)::TEXT,
                'store_product_id', 'com.hobbyist.bookingapp.credits.explorer',
                'kind', 'one_time', 'quantity', 1, 'ownership', 'purchased', 'purchased_at', '2026-01-01T00:00:00.000Z',
                'pending', FALSE, 'upgraded', FALSE, 'refunded_millionths', 0, 'billing_issue', FALSE,
                'source', 'receipt', 'source_at', '2026-01-01T00:00:00.000Z'
            )) FROM generate_series(1, 3) AS n;
            """
        )
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let rows = try await connection.query("SELECT count(*) AS entries FROM wallet.entries")
        let entries = try rows.first?.decode("entries", as: Int64.self)
        try #require(entries == 3)
    }

    private func execute(_ script: String) async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        try await connection.execute(script: script)
    }

    /// Runs a command as the superuser, or with the given role from the first statement on.
    private func run(_ arguments: [String], as role: String? = nil) async throws -> Executable.Result {
        var url = try TestDatabase.current.url
        if let role { url += "?options=-c%20role%3D\(role)" }
        return try await Executable.run(arguments, environment: ["DATABASE_URL": url])
    }
}
