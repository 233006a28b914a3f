import Postgres

extension Row {
    /// Reads a unit, or nil for NULL.
    func decodeUnit(_ column: String) throws(PostgresError) -> CreditUnit? {
        guard let label = try self.decode(column, as: String?.self) else { return nil }
        guard let unit = CreditUnit(rawValue: label) else {
            throw PostgresError(.decoding, "column '\(column)' is no unit")
        }
        return unit
    }

    /// Reads a unit that is always there.
    func decodeUnit(_ column: String) throws(PostgresError) -> CreditUnit {
        guard let unit: CreditUnit = try self.decodeUnit(column) else {
            throw PostgresError(.decoding, "column '\(column)' is NULL")
        }
        return unit
    }

    /// Reads an environment.
    func decodeEnvironment(_ column: String) throws(PostgresError) -> WalletEnvironment {
        guard let environment = WalletEnvironment(rawValue: try self.decode(column, as: String.self)) else {
            throw PostgresError(.decoding, "column '\(column)' is no environment")
        }
        return environment
    }
}
