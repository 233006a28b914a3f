import Postgres
import Testing

extension LiveWallet {
    /// Grants credits to each user as an administrator does.
    func give(_ credits: Int64, to users: [LiveUser]) async throws {
        let ids = users.map(\.id)
        try await self.query(
            """
            INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
            SELECT 'given to ' || u.id, u.id, \(credits), 'for a test', TRUE FROM unnest(\(ids)) AS u (id)
            """
        )
    }

    func give(_ credits: Int64, to user: LiveUser) async throws {
        try await self.give(credits, to: [user])
    }

    /// Reads the user's credits, version and number of entries directly from the tables.
    func booked(_ user: LiveUser) async throws -> (credits: Int64, version: Int64, entries: Int64) {
        let rows = try await self.query(
            """
            SELECT w.credits, w.version, count(e.version) AS entries
            FROM wallet.identities AS i
            INNER JOIN wallet.wallets AS w ON i.account_id = w.account_id AND w.environment = 'production'
            LEFT JOIN wallet.entries AS e ON w.account_id = e.account_id AND w.environment = e.environment
            WHERE i.user_id = \(user.id)
            GROUP BY w.credits, w.version
            """
        )
        return try #require(rows.first).decode((Int64, Int64, Int64).self)
    }

    /// Returns the number of sold production seats of a class.
    func seatsSold(_ id: String) async throws -> Int32 {
        let rows = try await self.query(
            "SELECT sold FROM wallet.class_seats WHERE class_id = \(id) AND environment = 'production'"
        )
        return try #require(rows.first).decode("sold")
    }

    /// Expects every invariant of the books to hold.
    func expectIntactBooks(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let broken = try await self.query("SELECT name, violations, sample FROM admin.invariants WHERE violations > 0")
        let samples = try broken.map { try $0.decode("sample", as: String.self) }
        #expect(samples.isEmpty, sourceLocation: sourceLocation)
    }
}

extension LiveWallet {
    /// Runs `credit-wallet verify` on the instance's database.
    func verify(deep: Bool = false) async throws -> (status: Int32, output: String) {
        try await Executable.run(
            ["verify"] + (deep ? ["--deep"] : []),
            environment: ["DATABASE_URL": self.description.databaseURL]
        )
    }
}
