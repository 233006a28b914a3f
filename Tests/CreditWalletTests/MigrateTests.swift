import Foundation
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

    @Test func `without a database there is a message and an exit code`() async throws {
        let missing = try await Executable.run(["migrate"])
        let dead = try await Executable.run(["migrate"], environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/x"])

        #expect(missing.status == 78)
        #expect(missing.errors.contains("DATABASE_URL"))
        #expect(dead.status == 69)
    }
}
