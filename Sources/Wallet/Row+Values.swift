import Postgres

extension Row {
    /// Decodes a unit; returns `nil` for NULL.
    func decodeUnit(_ column: String) throws(PostgresError) -> CreditUnit? {
        guard let label = try self.decode(column, as: String?.self) else { return nil }
        guard let unit = CreditUnit(rawValue: label) else {
            throw PostgresError(.decoding, "column '\(column)' is no unit")
        }
        return unit
    }

    /// Decodes a unit that is never NULL.
    func decodeUnit(_ column: String) throws(PostgresError) -> CreditUnit {
        guard let unit: CreditUnit = try self.decodeUnit(column) else {
            throw PostgresError(.decoding, "column '\(column)' is NULL")
        }
        return unit
    }

    /// Decodes an environment.
    func decodeEnvironment(_ column: String) throws(PostgresError) -> WalletEnvironment {
        guard let environment = WalletEnvironment(rawValue: try self.decode(column, as: String.self)) else {
            throw PostgresError(.decoding, "column '\(column)' is no environment")
        }
        return environment
    }
}
