/// The side of a store on which a purchase was made.
///
/// Real money moves only in ``production``. A test purchase (TestFlight, App Review, licence testers) is ``sandbox``,
/// and raises only the sandbox wallet.
public enum StoreEnvironment: String, Codable, Hashable, Sendable {
    /// Purchases paid with money.
    case production
    /// Purchases made with test accounts.
    case sandbox
}
