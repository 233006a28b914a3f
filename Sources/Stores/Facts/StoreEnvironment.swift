/// The store environment of a purchase.
///
/// Only ``production`` purchases are paid with real money. A test purchase (TestFlight, App Review, license testers) is
/// ``sandbox`` and credits only the sandbox wallet.
public enum StoreEnvironment: String, Codable, Hashable, Sendable {
    /// Purchases paid with money.
    case production
    /// Purchases made with test accounts.
    case sandbox
}
