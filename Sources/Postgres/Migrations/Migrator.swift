import Crypto
public import Logging

/// Migrates a database to the state of the files under `sql/`.
///
/// Numbered files (`migrations/0001_name.sql`) run once, each in its own transaction, and must not change afterwards.
/// Functions, views and `grants.sql` run again, all in one transaction, when any of them has changed. Several migrators
/// may run at the same time: each step takes an advisory lock for its transaction and then checks the state again.
///
/// Use a role that is a superuser or owns the schema. The search path contains no schema except `pg_catalog` and
/// `pg_temp`, so the files qualify all other names. The migrator ignores the folders `seed`, `tests` and `bench`.
public struct Migrator: Sendable {
    struct Migration: Sendable {
        let id: Int
        let name: String
        let isBreaking: Bool
        let sha256: String
        let file: SQLFile
    }

    struct Repeatable: Sendable {
        let sha256: String
        let file: SQLFile
    }

    /// The time that a statement of a migration waits for a lock.
    ///
    /// The limit keeps the statement from blocking the sessions that queue behind it.
    public var lockTimeout: Duration = .seconds(30)

    let migrations: [Migration]
    let repeatables: [Repeatable]
    let logger: Logger

    /// Creates a migrator for the files, in any order.
    ///
    /// - Parameters:
    ///   - files: All files under `sql/`; seeds, tests and benchmarks are ignored.
    ///   - logger: Receives a line for each applied migration, and one for the repeatables.
    /// - Throws: ``MigrationError`` with code `badFiles` for numbers that are not 1, 2, 3, …, for names without a
    ///   number, and for unknown folders.
    public init(files: [SQLFile], logger: Logger) throws(MigrationError) {
        let folders = try Folders(files)
        self.migrations = try Self.numbered(folders.migrations)
        self.repeatables = folders.repeatables.map { Repeatable(sha256: Self.sha256($0.contents), file: $0) }
        self.logger = logger
    }

    private static func numbered(_ files: [SQLFile]) throws(MigrationError) -> [Migration] {
        var migrations: [Migration] = []
        for file in files { migrations.append(try Self.migration(file)) }
        migrations.sort { ($0.id, $0.name) < ($1.id, $1.name) }
        for (index, migration) in migrations.enumerated() where migration.id != index + 1 {
            let isDouble = index > 0 && migrations[index - 1].id == migration.id
            let fault =
                isDouble
                ? "its number is already used by '\(migrations[index - 1].name)'" : "number \(index + 1) is missing"
            throw MigrationError(.badFiles, path: migration.file.path, "sql/\(migration.file.path): \(fault)")
        }
        return migrations
    }

    private static func migration(_ file: SQLFile) throws(MigrationError) -> Migration {
        let name = file.path.dropFirst("migrations/".count).dropLast(".sql".count)
        guard let id = Int(name.prefix { $0.isASCII && $0.isNumber }), id > 0, name.contains("_") else {
            throw MigrationError(
                .badFiles,
                path: file.path,
                "sql/\(file.path): the name must have the form 0001_name.sql"
            )
        }
        let firstLine = file.contents.prefix { !$0.isNewline }
        return Migration(
            id: id,
            name: String(name),
            isBreaking: firstLine.hasPrefix("--!") && firstLine.contains("breaking"),
            sha256: Self.sha256(file.contents),
            file: file
        )
    }

    private static func sha256(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// The files, grouped by kind.
private struct Folders {
    var migrations: [SQLFile] = []
    private var functions: [SQLFile] = []
    private var views: [SQLFile] = []
    private var grants: [SQLFile] = []

    /// The repeatables in the order of application: functions, views, grants.
    ///
    /// This order satisfies most dependencies.
    var repeatables: [SQLFile] {
        [self.functions, self.views, self.grants].flatMap { $0.sorted { $0.path < $1.path } }
    }

    init(_ files: [SQLFile]) throws(MigrationError) {
        for file in files {
            switch file.path.split(separator: "/").first {
            case "seed", "tests", "bench": continue
            case _ where !file.path.hasSuffix(".sql"): continue
            case "migrations": self.migrations.append(file)
            case "functions": self.functions.append(file)
            case "views": self.views.append(file)
            case "grants.sql": self.grants.append(file)
            default:
                throw MigrationError(.badFiles, path: file.path, "sql/\(file.path): unknown folder")
            }
        }
    }
}

/// An SQL file, identified by its path inside `sql/`.
public struct SQLFile: Hashable, Sendable {
    /// The path, such as `migrations/0001_ledger.sql` or `grants.sql`.
    public let path: String
    /// The statements.
    public let contents: String

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: The path inside `sql/`.
    ///   - contents: The statements.
    public init(path: String, contents: String) {
        self.path = path
        self.contents = contents
    }
}
