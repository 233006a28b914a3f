/// How a database stands to the SQL files of this program.
public enum SchemaState: Hashable, Sendable {
    /// Everything is applied as it stands in the files.
    case upToDate
    /// Some files were never applied.
    case behind(pending: [String])
    /// All migrations are applied, but functions or views are those of another release of the same level.
    case repeatablesDiffer(paths: [String])
    /// Another release migrated further; `breaking` when it says that older programs cannot work with that.
    case databaseIsNewer(breaking: Bool)

    /// Whether this program may work with the database.
    ///
    /// During a rolling deployment older programs meet newer functions, which must stay compatible.
    public var isUsable: Bool {
        switch self {
        case .upToDate, .repeatablesDiffer: true
        case .behind: false
        case .databaseIsNewer(let breaking): !breaking
        }
    }
}

/// One numbered migration and whether a database has it.
public struct MigrationStatus: Hashable, Sendable {
    /// The number.
    public let id: Int
    /// The name: the file's, without folder and ending.
    public let name: String
    /// Whether programs that do not know it cannot work with it.
    public let isBreaking: Bool
    /// Whether the database has it.
    public let isApplied: Bool
    /// Whether these files have it; the database may be newer.
    public let isKnown: Bool
    /// When it was applied, as the database writes it.
    public let appliedAt: String?
}

/// What a migration did, or would do.
public struct MigrationReport: Hashable, Sendable {
    /// The migrations, in order.
    public var migrations: [String] = []
    /// The functions, views and grants, in order; empty when none of them had changed.
    public var repeatables: [String] = []

    /// Whether there is nothing in it.
    public var isEmpty: Bool { self.migrations.isEmpty && self.repeatables.isEmpty }
}
