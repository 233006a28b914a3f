import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct MigrateTests {
    @Test(.emptyDatabase) func `status and dry run change nothing, migrate does its work once`() async throws {
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
        let keeper = try await TestDatabase.current.connect()
        defer { keeper.close() }
        let database = try await TestDatabase.empty()
        let owner = "owner_of_\(database.name)"
        try await keeper.execute(
            script: "CREATE ROLE \(owner) CREATEROLE; ALTER DATABASE \(database.name) OWNER TO \(owner)"
        )
        // Is that role from the first statement on, whatever the server wants for a login.
        let environment = ["DATABASE_URL": "\(database.url)?options=-c%20role%3D\(owner)"]

        let first = try await Executable.run(["migrate"], environment: environment)
        let connection = try await database.connect()
        try await connection.execute(script: "UPDATE wallet.repeatables SET sha256 = '' WHERE name = 'grants.sql'")
        let second = try await Executable.run(["migrate"], environment: environment)
        let strangers = try await connection.query(
            """
            SELECT c.relname FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace IN ('wallet'::regnamespace, 'admin'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'S')
                AND c.relowner <> 'wallet_owner'::regrole
            """
        )
        connection.close()
        try await database.drop()
        try await keeper.execute(script: "DROP ROLE \(owner)")

        #expect(first.status == 0, "\(first.errors)")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("functions, views and grants"))
        #expect(strangers.isEmpty)
    }

    @Test func `without a database there is a message and an exit code`() async throws {
        let missing = try await Executable.run(["migrate"])
        let dead = try await Executable.run(["migrate"], environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/x"])

        #expect(missing.status == 78)
        #expect(missing.errors.contains("DATABASE_URL"))
        #expect(dead.status == 69)
    }
}
