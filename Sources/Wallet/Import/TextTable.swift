/// A table of text values: a CSV file, or a table of another database.
public struct TextTable: Sendable {
    /// One row.
    public struct Row: Sendable {
        /// The line of the file on which the row begins, counted from 1; `nil` for a row of a database.
        public let line: Int?
        /// The values in the order of the columns; `nil` for NULL or an empty field.
        public let fields: [String?]

        /// Creates a row.
        public init(line: Int?, fields: [String?]) {
            self.line = line
            self.fields = fields
        }
    }

    /// The names of the columns.
    public let columns: [String]
    /// The rows.
    public let rows: [Row]

    /// Creates a table; every row must have as many values as there are columns.
    public init(columns: [String], rows: [Row]) {
        self.columns = columns
        self.rows = rows
    }

    /// Returns a value.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - row: A row of this table.
    /// - Returns: The value; `nil` if it is missing or the table has no such column.
    public func value(_ column: String, in row: Row) -> String? {
        self.columns.firstIndex(of: column).flatMap { row.fields[$0] }
    }
}
