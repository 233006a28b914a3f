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
