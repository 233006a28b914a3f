import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Swift and SQL compute the account token of a user separately, with equal results.
@Suite(.database) struct AppAccountTokenTests {
    private static let users = [
        "ann", "a", "auth0|5f7c8ec7c33c6c004bbafe82", "6F1C2A3E-0000-4000-8000-00000000000A",
        "6f1c2a3e-0000-4000-8000-00000000000a", "{6f1c2a3e-0000-4000-8000-00000000000a}",
        "00000000-0000-0000-0000-000000000000", "149dacc5-268f-5d4e-9303-c91c2b9b44b4",
        "149dacc5-268f-5d4e-c303-c91c2b9b44b4", "149DACC5-268F-5D4E-A303-C91C2B9B44B4",
        "149dacc5-268f-7d4e-9303-c91c2b9b44b4", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "$RCAnonymousID:0123456789abcdef",
        String(repeating: "x", count: 39), String(repeating: "x", count: 40), String(repeating: "é", count: 24),
        String(repeating: "日本", count: 60), String(repeating: "0", count: 320), " ann", "Ann", "ä", "a\u{308}",
    ]

    @Test(arguments: [
        ("ann", "149dacc5-268f-5d4e-9303-c91c2b9b44b4"),
        ("auth0|5f7c8ec7c33c6c004bbafe82", "108bccb2-08cd-59ec-b79c-1829e0e82464"),
        ("6F1C2A3E-0000-4000-8000-00000000000A", "6f1c2a3e-0000-4000-8000-00000000000a"),
        ("00000000-0000-0000-0000-000000000000", "030dca7b-82c6-5626-9940-df3af7e8860a"),
    ])
    func `a user's token never changes`(user: String, token: String) {
        #expect(UserID(rawValue: user).appAccountToken == UUID(uuidString: token))
    }

    @Test func `the database computes the same token`() async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let rows = try await connection.query(
            """
            SELECT wallet.app_account_token(u.id) AS token
            FROM unnest(\(Self.users)) WITH ORDINALITY AS u (id, place) ORDER BY u.place
            """
        )
        let tokens = try rows.map { try $0.decode("token", as: UUID.self) }
        #expect(tokens == Self.users.map { UserID(rawValue: $0).appAccountToken })
    }
}
