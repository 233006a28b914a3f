/// An error that prevents the migration of a database to the state of the SQL files.
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

        /// The files are invalid: a duplicate or missing number, a malformed name, an unknown folder, or a file that
        /// ends its transaction.
        public static let badFiles = Self(.badFiles)
        /// A migration was edited after it had been applied.
        public static let changed = Self(.changed)
        /// The database has migrations that these files lack.
        public static let newerDatabase = Self(.newerDatabase)
        /// A statement failed; its file was rolled back.
        public static let failed = Self(.failed)
    }

    /// The kind of failure.
    public let code: Code
    /// The file at fault.
    public let path: String?
    /// The line at fault, counted from 1; `nil` if the server reports no position.
    public let line: Int?
    /// The server's error; `nil` if the migrator found the fault.
    public let cause: PostgresError?
    /// An explanation for the operator who runs the migration.
    public let message: String

    init(_ code: Code, path: String? = nil, line: Int? = nil, cause: PostgresError? = nil, _ message: String) {
        self.code = code
        self.path = path
        self.line = line
        self.cause = cause
        self.message = message
    }

    /// Creates an error for a failed statement of a file.
    init(_ cause: PostgresError, in file: SQLFile) {
        let line = cause.position.map { position in
            file.contents.unicodeScalars.prefix(max(1, position) - 1).count { $0 == "\n" } + 1
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
    /// The explanation.
    ///
    /// It may quote the server's message, because the statements are part of this program.
    public var description: String { self.message }
}
