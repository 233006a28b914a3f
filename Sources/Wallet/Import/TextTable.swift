/// A table as text: a file of values separated by commas, or a table of another database.
public struct TextTable: Sendable {
    /// One row.
    public struct Row: Sendable {
        /// The line of the file that it began on, counted from 1; nil for a row of a database.
        public let line: Int?
        /// Its values in the order of the columns; nil for NULL or an empty field.
        public let fields: [String?]

        /// Makes a row.
        public init(line: Int?, fields: [String?]) {
            self.line = line
            self.fields = fields
        }
    }

    /// The names of the columns.
    public let columns: [String]
    /// The rows.
    public let rows: [Row]

    /// Makes a table; every row has as many values as there are columns.
    public init(columns: [String], rows: [Row]) {
        self.columns = columns
        self.rows = rows
    }

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - row: A row of this table.
    /// - Returns: The value; nil for none, and where the table has no such column.
    public func value(_ column: String, in row: Row) -> String? {
        self.columns.firstIndex(of: column).flatMap { row.fields[$0] }
    }
}
