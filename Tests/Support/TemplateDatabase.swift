import Foundation
import Logging
import Postgres

/// The migrated database from which clones are made, built once in each process.
actor TemplateDatabase {
    static let shared = TemplateDatabase()

    private var building: Task<String, any Error>?

    /// The template's name; the first access builds the template.
    var name: String {
        get async throws {
            let building = self.building ?? Task { try await Self.build() }
            self.building = building
            return try await building.value
        }
    }

    private static func build() async throws -> String {
        let template = try await TestDatabase.create(template: "template0")
        let files = try SQLFolder.files()
        _ = try await Migrator(files: files, logger: .quiet).migrate(url: template.url)
        let connection = try await template.connect()
        for file in files where file.path == "seed/catalog.sql" {
            try await connection.execute(script: file.contents)
        }
        try await connection.query("SELECT wallet.mark_dev()")
        try await Self.letServiceLogIn(connection, url: template.url)
        connection.close()
        // PostgreSQL cannot copy a database with connections, so new connections are disabled.
        try await TestServer.execute("ALTER DATABASE \(Query.quoted(template.name)) ALLOW_CONNECTIONS false")
        return template.name
    }

    /// Sets the service role's password to the superuser's, if the server's URL has a password.
    private static func letServiceLogIn(_ connection: Connection, url: String) async throws {
        guard let password = URLComponents(string: url)?.password else { return }
        let literal = "'" + password.replacing("'", with: "''") + "'"
        try await connection.execute(script: "ALTER ROLE wallet_service PASSWORD \(literal)")
    }
}
