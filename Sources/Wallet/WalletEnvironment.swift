import Postgres
public import Stores

/// One of an account's two wallets.
///
/// Sandbox purchases change only the sandbox wallet, and sandbox bookings take only sandbox seats.
public enum WalletEnvironment: String, Codable, Sendable, NamedValue {
    /// Real purchases and real seats.
    case production
    /// Purchases made in a store's sandbox (App Review, TestFlight, licence testers).
    case sandbox
}

extension WalletEnvironment {
    /// Creates the environment of the wallet that receives the purchases of a store's environment.
    ///
    /// - Parameter store: The store's environment.
    public init(_ store: StoreEnvironment) {
        switch store {
        case .production: self = .production
        case .sandbox: self = .sandbox
        }
    }
}

/// The unit of lots and prices.
public enum CreditUnit: String, Codable, Sendable, NamedValue {
    /// Credits, sold in packs.
    case credit
    /// Visits, granted by passes and by plans that count classes.
    case visit
}

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
