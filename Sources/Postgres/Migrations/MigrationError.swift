/// Why a database was not brought to the level of the SQL files.
public struct MigrationError: Error, Sendable, Equatable {
    /// The kind of failure, one of a set that may grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String, Sendable {
            case badFiles
            case changed
            case newerDatabase
            case failed
        }

        private let value: Value

        private init(_ value: Value) {
            self.value = value
        }

        /// The code's name.
        public var description: String { self.value.rawValue }

        /// The files themselves are wrong: a number twice, a gap, a name that says nothing.
        public static let badFiles = Self(.badFiles)
        /// A migration was edited after it had been applied.
        public static let changed = Self(.changed)
        /// The database has migrations that these files do not.
        public static let newerDatabase = Self(.newerDatabase)
        /// A statement failed; nothing of its file was kept.
        public static let failed = Self(.failed)
    }

    /// The kind of failure.
    public let code: Code
    /// The file at fault.
    public let path: String?
    /// The line at fault, counted from 1, where the server says it.
    public let line: Int?
    /// What the server said.
    public let cause: PostgresError?
    /// An explanation for anyone who runs the migration.
    public let message: String

    init(_ code: Code, path: String? = nil, line: Int? = nil, cause: PostgresError? = nil, _ message: String) {
        self.code = code
        self.path = path
        self.line = line
        self.cause = cause
        self.message = message
    }

    /// Explains a statement of a file that failed.
    init(_ cause: PostgresError, in file: SQLFile) {
        let line = cause.position.map { position in
            file.contents.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" } + 1
        }
        let place = line.map { "line \($0)" } ?? "statement \(cause.completed + 1)"
        var text = cause.message ?? "the server gave no reason"
        if let sqlState = cause.sqlState { text += " (SQLSTATE \(sqlState))" }
        if let detail = cause.detail { text += "; \(detail)" }
        if let context = cause.context { text += "; \(context)" }
        self.init(.failed, path: file.path, line: line, cause: cause, "sql/\(file.path), \(place): \(text)")
    }
}

extension MigrationError: CustomStringConvertible {
    /// The explanation; the statements are this program's own, so it may name what the server said.
    public var description: String { self.message }
}
