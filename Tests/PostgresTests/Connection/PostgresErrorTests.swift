import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct PostgresErrorTests {
    @Test(arguments: [
        ("WL402", PostgresError.Code.refused), ("WL409", .refused), ("WL503", .refused), ("WLABC", .internal),
        ("WL999", .internal), ("23505", .conflict), ("23503", .conflict), ("23P01", .conflict), ("23514", .invalid),
        ("23502", .invalid), ("22P02", .invalid), ("22003", .invalid), ("40001", .serialization),
        ("40P01", .serialization), ("55P03", .lockTimeout), ("57014", .cancelled), ("08006", .unavailable),
        ("53300", .unavailable), ("57P01", .unavailable), ("57P03", .unavailable), ("25006", .unavailable),
        ("42501", .internal), ("42P01", .internal), ("P0001", .internal), ("XX000", .internal), ("40002", .internal),
    ])
    func `a SQLSTATE from the server has its code`(sqlState: String, code: PostgresError.Code) async throws {
        let connection = try await connect()
        let error = await PostgresError.thrown {
            try await connection.execute(script: "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(sqlState)'; END $$")
        }
        #expect(error?.code == code)
        #expect(error?.sqlState == sqlState)
    }

    @Test func `a refusal carries its slug, its members and its status`() async throws {
        let connection = try await connect()
        let error = await PostgresError.thrown {
            try await connection.execute(
                script: """
                    DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'WL402', MESSAGE = 'insufficient-credits',
                        DETAIL = '{"credits_required":20}'; END $$
                    """
            )
        }
        #expect(error?.message == "insufficient-credits")
        #expect(error?.detail == #"{"credits_required":20}"#)
        #expect(error?.httpStatus == 402)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func `a violated constraint has its code`() async throws {
        let connection = try await connect()
        try await connection.execute(
            script: """
                CREATE TABLE wallets (id int PRIMARY KEY, balance int NOT NULL CONSTRAINT never_negative CHECK (balance >= 0));
                CREATE TABLE lots (wallet int CONSTRAINT of_a_wallet REFERENCES wallets);
                INSERT INTO wallets VALUES (1, 0)
                """
        )
        let double = await PostgresError.thrown { try await connection.query("INSERT INTO wallets VALUES (1, 0)") }
        #expect(double?.code == .conflict && double?.constraint == "wallets_pkey")
        let orphan = await PostgresError.thrown { try await connection.query("INSERT INTO lots VALUES (2)") }
        #expect(orphan?.code == .conflict && orphan?.constraint == "of_a_wallet")
        let negative = await PostgresError.thrown { try await connection.query("UPDATE wallets SET balance = -1") }
        #expect(negative?.code == .invalid && negative?.constraint == "never_negative")
        let empty = await PostgresError.thrown { try await connection.query("INSERT INTO wallets VALUES (3, NULL)") }
        #expect(empty?.code == .invalid && empty?.sqlState == "23502")
    }

    @Test func `a lock timeout has its code`() async throws {
        let (holder, waiter) = (try await connect(), try await connect())
        try await holder.execute(script: "CREATE TABLE held ()")
        try await holder.execute(script: "BEGIN; LOCK TABLE held")
        try await waiter.execute(script: "SET lock_timeout = 50")
        let error = await PostgresError.thrown { try await waiter.execute(script: "BEGIN; LOCK TABLE held") }
        #expect(error?.code == .lockTimeout)
        try await holder.execute(script: "ROLLBACK")
    }

    @Test func `a read-only server counts as unavailable and its connection is given up`() async throws {
        let connection = try await connect()
        try await connection.execute(script: "SET default_transaction_read_only = on")
        let error = await PostgresError.thrown { try await connection.query("CREATE TABLE refused ()") }
        #expect(error?.code == .unavailable && error?.sqlState == "25006")
        #expect(!connection.isUsable)
    }

    @Test func `the description reveals nothing that a user sent`() async throws {
        let connection = try await connect()
        let error = try #require(
            await PostgresError.thrown { try await connection.query("SELECT \("secret")::text::int") }
        )
        #expect(error.description == "postgres invalid (SQLSTATE 22P02)")
        #expect("\(error)" == error.description)
        #expect(String(reflecting: error).contains("secret"))
    }

    @Test func `a syntax error has its position`() async throws {
        let connection = try await connect()
        let error = await PostgresError.thrown { try await connection.query("SELECT é, FROM nowhere") }
        #expect(error?.code == .internal && error?.position == 11)
    }
}
