import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct MigrateTests {
    @Test(.emptyDatabase) func `status and dry run change nothing, migrate runs once`() async throws {
        let environment = ["DATABASE_URL": try TestDatabase.current.url]

        let before = try await Executable.run(["migrate", "--status"], environment: environment)
        let plan = try await Executable.run(["migrate", "--dry-run"], environment: environment)
        let again = try await Executable.run(["migrate", "--dry-run"], environment: environment)
        let first = try await Executable.run(["migrate"], environment: environment)
        let second = try await Executable.run(["migrate"], environment: environment)
        let after = try await Executable.run(["migrate", "--status"], environment: environment)

        #expect(before.status == 1)
        #expect(before.output.contains("0001_instance  pending"))
        #expect(plan.status == 0)
        #expect(plan.output.contains("would apply migrations/0001_instance.sql"))
        #expect(plan.output == again.output)
        #expect(first.status == 0)
        #expect(first.output == plan.output.replacing("would apply", with: "applied"))
        #expect(second.output == "nothing to apply\n")
        #expect(after.status == 0)
        #expect(after.output.contains("0001_instance  applied 20"))
        #expect(after.output.hasSuffix("up to date\n"))
    }

    @Test(.emptyDatabase) func `the database's owner migrates it, superuser or not`() async throws {
        try await Self.withOwnedDatabase { database, environment in
            let superuser = try await database.connect()
            defer { superuser.close() }
            let first = try await Executable.run(["migrate"], environment: environment)
            try await superuser.execute(script: "UPDATE wallet.repeatables SET sha256 = '' WHERE name = 'grants.sql'")
            let second = try await Executable.run(["migrate"], environment: environment)
            let strangers = try await superuser.query(
                """
                SELECT c.relname FROM pg_catalog.pg_class AS c
                WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'S')
                    AND c.relowner <> 'wallet_owner'::regrole
                """
            )
            #expect(first.status == 0, "\(first.errors)")
            #expect(second.status == 0, "\(second.errors)")
            #expect(second.output.contains("functions, views and grants"))
            #expect(strangers.isEmpty)
        }
    }

    @Test(.emptyDatabase, arguments: ["extensions", "wallet", "admin"])
    func `extensions may be in any schema`(schema: String) async throws {
        try await Self.withOwnedDatabase { database, environment in
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await superuser.execute(
                script: """
                    CREATE SCHEMA \(schema) AUTHORIZATION \(database.owner);
                    DO $$
                    DECLARE v_name TEXT;
                    BEGIN
                        FOR v_name IN
                            SELECT DISTINCT v.name FROM pg_available_extension_versions AS v
                            WHERE v.schema IS NULL AND v.name <> 'plpgsql'
                            ORDER BY v.name
                        LOOP
                            EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I SCHEMA \(schema) CASCADE', v_name);
                        END LOOP;
                    END
                    $$;
                    """
            )
            let first = try await Executable.run(["migrate"], environment: environment)
            #expect(first.status == 0, "\(first.errors)")
            try await superuser.execute(script: "UPDATE wallet.repeatables SET sha256 = '' WHERE name = 'grants.sql'")
            let second = try await Executable.run(["migrate"], environment: environment)
            #expect(second.status == 0, "\(second.errors)")
            let found = try await superuser.query(
                """
                SELECT wallet.app_account_token('ann')::text AS token, (
                    SELECT count(*) FROM pg_catalog.pg_extension AS e
                    WHERE e.extnamespace = to_regnamespace(\(schema)::text)
                ) AS extensions
                """
            ).first
            #expect(try found?.decode("token") == "149dacc5-268f-5d4e-9303-c91c2b9b44b4")
            #expect(try #require(try found?.decode("extensions", as: Int64.self)) > 30)
        }
    }

    @Test(
        .emptyDatabase,
        arguments: [
            ("CREATE TABLE", "migrations/0005_ledger.sql"), ("CREATE VIEW", "views/"),
            ("ALTER DEFAULT PRIVILEGES", "grants.sql"),
        ]
    )
    func `after a failure the same command continues where it stopped`(command: String, file: String) async throws {
        try await Self.withOwnedDatabase { database, environment in
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await superuser.execute(
                script: """
                    CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF to_regclass('wallet.inbox') IS NULL AND to_regclass('wallet.entries') IS NULL THEN RETURN; END IF;
                        RAISE EXCEPTION 'not today';
                    END
                    $$;
                    CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('\(command)')
                    EXECUTE FUNCTION public.refuse();
                    """
            )
            let first = try await Executable.run(["migrate"], environment: environment)
            #expect(first.status != 0)
            #expect(first.errors.contains(file) && first.errors.contains("not today"), "\(first.errors)")
            try await superuser.execute(script: "DROP EVENT TRIGGER refuse")
            let second = try await Executable.run(["migrate"], environment: environment)
            #expect(second.status == 0, "\(second.errors)")
            let status = try await Executable.run(["migrate", "--status"], environment: environment)
            #expect(status.output.hasSuffix("up to date\n"))
        }
    }

    private struct OwnedDatabase {
        let owner: String
        let connect: () async throws -> Connection
    }

    /// Runs the body with a database whose owner may create roles but is no superuser, and that owner's
    /// environment.
    private static func withOwnedDatabase(_ body: (OwnedDatabase, [String: String]) async throws -> Void) async throws {
        let keeper = try await TestDatabase.current.connect()
        defer { keeper.close() }
        let database = try await TestDatabase.empty()
        let owner = "owner_of_\(database.name)"
        try await keeper.execute(
            script: "CREATE ROLE \(owner) CREATEROLE; ALTER DATABASE \(database.name) OWNER TO \(owner)"
        )
        let failure: (any Error)?
        do {
            // The session has this role from its first statement, whatever login the server requires.
            let environment = ["DATABASE_URL": "\(database.url)?options=-c%20role%3D\(owner)"]
            try await body(OwnedDatabase(owner: owner, connect: database.connect), environment)
            failure = nil
        } catch { failure = error }
        try await database.drop()
        try await keeper.execute(script: "DROP ROLE \(owner)")
        if let failure { throw failure }
    }

    @Test(.emptyDatabase) func `migrate names the roles that may migrate when its login may not`() async throws {
        let url = try TestDatabase.current.serviceURL
        let result = try await Executable.run(["migrate"], environment: ["DATABASE_URL": url])

        #expect(result.status == 78)
        #expect(result.errors.contains("permission denied"), "\(result.errors)")
        #expect(
            result.errors.contains("migrate and import must connect as the owner of the database"),
            "\(result.errors)"
        )
    }

    @Test func `without a database, migrate prints a message and exits with a code`() async throws {
        let missing = try await Executable.run(["migrate"])
        let dead = try await Executable.run(["migrate"], environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/x"])

        #expect(missing.status == 78)
        #expect(missing.errors.contains("DATABASE_URL"))
        #expect(dead.status == 69)
    }
}
