/// One of an account's two wallets.
///
/// Sandbox purchases change only the sandbox wallet, and sandbox bookings take only sandbox seats.
public enum WalletEnvironment: String, Codable, Sendable, NamedValue {
    /// Real purchases and real seats.
    case production
    /// Purchases made in a store's sandbox (App Review, TestFlight, licence testers).
    case sandbox
}
