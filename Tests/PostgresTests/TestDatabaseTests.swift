import Postgres
import TestSupport
import Testing

@Suite(.database) struct TestDatabaseTests {
    @Test func `a clone has the catalogue, is for development and accepts the service`() async throws {
        let service = try await Connection.connect(
            ConnectionConfiguration(url: try TestDatabase.current.serviceURL),
            logger: .silent
        )
        let rows = try await service.query("SELECT current_user::text AS me, count(*) AS packs FROM wallet.packs")
        #expect(try rows[0].decode("me", as: String.self) == "wallet_service")
        #expect(try rows[0].decode("packs", as: Int.self) > 0)
        let instance = try await connect().query("SELECT kind FROM wallet.instance")
        #expect(try instance[0].decode("kind", as: String.self) == "dev")
    }

    @Test func `the service may read the schema's state`() async throws {
        let migrator = try Migrator(files: try SQLFolder.files(), logger: .silent)
        let service = try await Connection.connect(
            ConnectionConfiguration(url: try TestDatabase.current.serviceURL),
            logger: .silent
        )
        #expect(try await migrator.check(on: service) == .upToDate)
    }

    @Test func `clones are independent and created in parallel`() async throws {
        let databases = try await withThrowingTaskGroup(of: TestDatabase.self) { group in
            for _ in 0..<4 { group.addTask { try await TestDatabase.clone() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(databases.map(\.name)).count == 4)
        for database in databases { try await database.drop() }
    }
}
