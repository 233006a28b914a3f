import Foundation
import Logging
import Postgres
import TestSupport

/// A database of an app that kept credits itself, in the wallet's cluster.
struct HobbyAppDatabase {
    let url: String

    /// The table layouts of the app's releases.
    enum Generation: String, CaseIterable {
        case signed
        case counted
    }

    /// Creates the database with one user, who bought 25 credits, spent 10, got 5 back and has 20 left.
    init(_ generation: Generation, user: String, in wallet: LiveWallet) async throws {
        let name = "hobbyapp_\(generation.rawValue)"
        try await wallet.query("CREATE DATABASE \(identifier: name)")
        guard var parts = URLComponents(string: wallet.description.databaseURL) else {
            throw HarnessError("the database's address is no URL")
        }
        parts.path = "/\(name)"
        guard let url = parts.string else { throw HarnessError("the database's address cannot be changed") }
        self.url = url
        let connection = try await Connection.connect(ConnectionConfiguration(patient: url), logger: .quiet)
        defer { connection.close() }
        try await connection.execute(script: Self.tables(generation))
        for statement in Self.rows(generation, user) { try await connection.query(statement) }
    }

    private static func tables(_ generation: Generation) -> String {
        switch generation {
        case .signed:
            """
            CREATE TABLE user_credits (
                id UUID PRIMARY KEY DEFAULT gen_random_uuid(), user_id UUID UNIQUE, credit_balance INTEGER,
                total_earned INTEGER, total_spent INTEGER, updated_at TIMESTAMPTZ
            );
            CREATE TABLE credit_transactions (
                id UUID PRIMARY KEY DEFAULT gen_random_uuid(), user_id UUID, transaction_type VARCHAR(50) NOT NULL,
                credit_amount INTEGER NOT NULL, balance_after INTEGER NOT NULL, description TEXT, metadata JSONB,
                created_at TIMESTAMPTZ
            );
            """
        case .counted:
            """
            CREATE TABLE user_credits (
                id UUID PRIMARY KEY DEFAULT gen_random_uuid(), user_id UUID NOT NULL, total_credits INTEGER,
                used_credits INTEGER, rollover_credits INTEGER, loyalty_tier TEXT, updated_at TIMESTAMPTZ
            );
            CREATE TABLE credit_transactions (
                id UUID PRIMARY KEY DEFAULT gen_random_uuid(), user_id UUID NOT NULL, transaction_type TEXT NOT NULL,
                amount DECIMAL(10, 2) NOT NULL, credits_amount INTEGER, balance_after INTEGER NOT NULL,
                description TEXT, created_at TIMESTAMPTZ
            );
            """
        }
    }

    private static func rows(_ generation: Generation, _ user: String) -> [Query] {
        switch generation {
        case .signed:
            [
                "INSERT INTO user_credits VALUES (DEFAULT, \(user)::uuid, 20, 30, 10, '2026-03-04T12:00:00Z')",
                """
                INSERT INTO credit_transactions
                SELECT gen_random_uuid(), \(user)::uuid, t.* FROM (VALUES
                    ('refund', 5, 20, 'Class was cancelled', '{}'::jsonb, '2026-03-03T10:00:00.123456Z'::timestamptz),
                    ('spend', -10, 15, 'Pottery', '{}', '2026-03-02T10:00:00Z'),
                    ('purchase', 25, 25, 'Starter', '{}', '2026-03-01T10:00:00Z')
                ) AS t
                """,
            ]
        case .counted:
            [
                "INSERT INTO user_credits VALUES (DEFAULT, \(user)::uuid, 25, 10, 5, 'gold', '2026-03-04T12:00:00Z')",
                """
                INSERT INTO credit_transactions
                SELECT gen_random_uuid(), \(user)::uuid, t.* FROM (VALUES
                    ('purchase', 49.00, 25, 25, 'Starter', '2026-03-01T10:00:00Z'::timestamptz),
                    ('use', 0, 10, 15, 'Pottery', '2026-03-02T10:00:00Z'),
                    ('rollover', 0, 5, 20, 'Class was cancelled', '2026-03-03T10:00:00.123456Z'),
                    ('insurance_claim', 3.00, NULL, 20, 'Money only', '2026-03-03T11:00:00Z')
                ) AS t
                """,
            ]
        }
    }
}
