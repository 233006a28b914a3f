/// The state of a database relative to the SQL files of this program.
public enum SchemaState: Hashable, Sendable {
    /// Every file is applied in its current version.
    case upToDate
    /// Some files were never applied.
    case behind(pending: [String])
    /// All migrations are applied, but functions or views differ: they come from another release with the same
    /// migrations.
    case repeatablesDiffer(paths: [String])
    /// A newer release applied more migrations; `breaking` is true if older programs cannot work with one of them.
    case databaseIsNewer(breaking: Bool)

    /// A Boolean value that indicates whether this program can work with the database.
    ///
    /// During a rolling deployment, older programs meet newer functions, which must stay compatible.
    public var isUsable: Bool {
        switch self {
        case .upToDate, .repeatablesDiffer: true
        case .behind: false
        case .databaseIsNewer(let breaking): !breaking
        }
    }
}

/// A numbered migration, and whether a database has applied it.
public struct MigrationStatus: Hashable, Sendable {
    /// The migration's number.
    public let id: Int
    /// The migration's name: the file name without folder and extension.
    public let name: String
    /// A Boolean value that indicates whether programs without this migration cannot work with the database.
    public let isBreaking: Bool
    /// A Boolean value that indicates whether the database has applied the migration.
    public let isApplied: Bool
    /// A Boolean value that indicates whether the files contain the migration; false if the database is newer.
    public let isKnown: Bool
    /// The time of the migration as text, formatted by the database.
    public let appliedAt: String?
}

/// The files that a migration applied or would apply.
public struct MigrationReport: Hashable, Sendable {
    /// The migrations, in order.
    public var migrations: [String] = []
    /// The functions, views and grants, in order; empty when none of them had changed.
    public var repeatables: [String] = []

    /// A Boolean value that indicates whether the report lists no files.
    public var isEmpty: Bool { self.migrations.isEmpty && self.repeatables.isEmpty }
}
