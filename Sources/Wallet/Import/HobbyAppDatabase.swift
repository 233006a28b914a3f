public import Logging
import Postgres

/// The tables of an app that kept its credits in `user_credits` and `credit_transactions`, in any version of their
/// columns.
public struct HobbyAppDatabase: Sendable {
    /// The balance of every user.
    public let balances: TextTable
    /// The movements of all users.
    public let transactions: TextTable

    /// Reads both tables in one snapshot, in a read-only transaction.
    ///
    /// If row level security would hide rows, the initializer throws; it never omits them.
    ///
    /// - Parameters:
    ///   - url: The libpq URL of the app's database.
    ///   - logger: Receives lines about lost connections.
    /// - Throws: `PostgresError`, with code `decoding` and a message if a table is missing.
    public init(url: String, logger: Logger) async throws {
        var configuration = PoolConfiguration(url: url)
        configuration.maximumConnections = 1
        // Reading a large table may take any time.
        configuration.connection.queryTimeout = nil
        let pool = Pool(configuration: configuration, logger: logger)
        do {
            let (balances, transactions) = try await pool.withTransaction(.repeatableRead, isReadOnly: true) {
                connection in
                try await connection.query(
                    """
                    SELECT set_config('TimeZone', 'UTC', TRUE), set_config('DateStyle', 'ISO', TRUE),
                        set_config('row_security', 'off', TRUE)
                    """
                )
                return (
                    try await Self.table("user_credits", Self.balanceColumns, on: connection),
                    try await Self.table("credit_transactions", Self.transactionColumns, on: connection)
                )
            }
            await pool.close()
            self.balances = balances
            self.transactions = transactions
        } catch {
            await pool.close()
            throw error
        }
    }

    /// The columns of both versions of the table; each version has some of them.
    private static let balanceColumns = [
        "user_id", "credit_balance", "total_credits", "used_credits", "rollover_credits", "updated_at",
    ]
    private static let transactionColumns = [
        "user_id", "transaction_type", "type", "credit_amount", "credits_amount", "amount", "description", "created_at",
    ]

    private static func table(
        _ name: String,
        _ known: [String],
        on connection: Connection
    ) async throws -> TextTable {
        let columns = try await connection.query(
            """
            SELECT c.column_name::text AS name FROM information_schema.columns AS c
            WHERE c.table_name = \(name) AND c.column_name::text = ANY(\(known)) AND c.table_schema = (
                SELECT n.nspname FROM pg_catalog.pg_class AS t
                INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
                WHERE t.oid = to_regclass(\(name))
            )
            ORDER BY c.ordinal_position
            """
        ).map { try $0.decode("name", as: String.self) }
        guard columns.contains("user_id") else {
            throw PostgresError(.decoding, "the database has no table \(name) with a column user_id")
        }
        // Selects an array, so that a row has one column regardless of the table.
        let values = columns.map { "\(Query.quoted($0))::text" }.joined(separator: ", ")
        let rows = try await connection.query(
            "SELECT ARRAY[\(unescaped: values)]::text[] AS fields FROM \(identifier: name) ORDER BY user_id"
        ).map { TextTable.Row(line: nil, fields: try $0.decode("fields", as: [String?].self)) }
        return TextTable(columns: columns, rows: rows)
    }
}

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
