import Foundation
import Logging
public import Postgres

/// A test's own database on the server that `make test` started.
public struct TestDatabase: Sendable {
    /// The database's name.
    public let name: String
    /// The URL that opens it as the superuser.
    public let url: String

    /// The URL that opens the database as the role of `credit-wallet serve`.
    public var serviceURL: String {
        get throws { try self.url(as: "wallet_service") }
    }

    /// The database that ``Testing/Trait/database`` created for the running suite or test.
    public static var current: TestDatabase {
        get throws {
            guard let database = Self.scoped else {
                throw TestSupportError("no test database here: mark the suite with .database or .emptyDatabase")
            }
            return database
        }
    }

    @TaskLocal static var scoped: TestDatabase?

    /// Creates an empty database.
    ///
    /// - Returns: The database.
    /// - Throws: ``TestSupportError`` if there is no server, or `PostgresError`.
    public static func empty() async throws -> TestDatabase {
        try await Self.create(template: "template0")
    }

    /// Creates a database with the schema and the catalogue, marked for development.
    ///
    /// The database is a copy of a template that is migrated once in each process.
    ///
    /// - Returns: The database.
    /// - Throws: ``TestSupportError`` if there is no server, `PostgresError` or `MigrationError`.
    public static func clone() async throws -> TestDatabase {
        try await Self.create(template: try await TemplateDatabase.shared.name)
    }

    /// Opens a connection as the superuser.
    ///
    /// - Returns: The connection.
    /// - Throws: `PostgresError`.
    public func connect() async throws -> Connection {
        try await Connection.connect(ConnectionConfiguration(patient: self.url), logger: .quiet)
    }

    /// Returns the URL that opens the database as another role.
    ///
    /// - Parameter role: The role's name.
    /// - Returns: The URL.
    /// - Throws: ``TestSupportError`` if the server's URL is invalid.
    public func url(as role: String) throws -> String {
        try TestServer.rewrite(self.url) { $0.user = role }
    }

    /// Drops the database and ends the sessions that are connected to it.
    ///
    /// - Throws: `PostgresError`.
    public func drop() async throws {
        try await TestServer.execute("DROP DATABASE IF EXISTS \(Query.quoted(self.name)) WITH (FORCE)")
    }

    static func create(template: String) async throws -> TestDatabase {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let database = TestDatabase(
            name: name,
            url: try TestServer.rewrite(try TestServer.url) { $0.path = "/" + name }
        )
        // Copying files takes half as long as copying pages through the log, which PostgreSQL does by default.
        try await TestServer.execute(
            "CREATE DATABASE \(Query.quoted(name)) TEMPLATE \(Query.quoted(template)) STRATEGY FILE_COPY"
        )
        return database
    }
}
