import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Updates by a booking must be HOT (heap-only tuple) updates.
///
/// If an index covered a changing column, or if pages were full from the start, every booking would add an entry to
/// each index of the table. An occasional full page is acceptable.
@Suite struct HotUpdateTests {
    @Test func `more than four in five updates of wallets, lots and seats are HOT`() async throws {
        try await withWalkDatabase { database in
            let users = (0..<5).map { UserID(rawValue: "member-\($0)") }
            for user in users { try await database.buy(for: user, "t-\(user.rawValue)") }
            for number in 0..<20 { try await database.makeClass("class-\(number)", credits: 1) }
            let before = try await Self.updates(database)
            for number in 0..<20 {
                for user in users {
                    _ = try await database.wallet.book(
                        BookingRequest(classID: "class-\(number)"),
                        for: user,
                        in: .production,
                        key: "k\(number)"
                    )
                }
            }

            for table in ["wallets", "lots", "class_seats"] {
                var (all, hot): (Int64, Int64) = (0, 0)
                // Sessions report their counts within a second of work, otherwise after ten idle seconds.
                for _ in 0..<30 where all < 100 {
                    try await Task.sleep(for: .seconds(1))
                    let after = try await Self.updates(database)
                    all = (after[table]?.all ?? 0) - (before[table]?.all ?? 0)
                    hot = (after[table]?.hot ?? 0) - (before[table]?.hot ?? 0)
                }
                #expect(all >= 100, "\(table)")
                #expect(hot * 5 > all * 4, "\(hot) of \(all) in \(table)")
            }
        }
    }

    /// Returns the updates of each table that sessions have reported so far.
    private static func updates(_ database: WalkDatabase) async throws -> [String: (all: Int64, hot: Int64)] {
        let rows = try await database.admin.query(
            """
            SELECT s.relname::text AS name, s.n_tup_upd AS updates, s.n_tup_hot_upd AS hot
            FROM pg_catalog.pg_stat_user_tables AS s WHERE s.schemaname = 'wallet'
            """
        )
        return Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                (
                    try row.decode("name", as: String.self),
                    (all: try row.decode("updates", as: Int64.self), hot: try row.decode("hot", as: Int64.self))
                )
            }
        )
    }
}
