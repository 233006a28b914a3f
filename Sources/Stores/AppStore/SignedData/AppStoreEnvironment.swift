/// The side of the App Store as signed data names it; names that this build does not know survive decoding.
public struct AppStoreEnvironment: RawRepresentable, Codable, Hashable, Sendable {
    /// The name as it stands in the data.
    public let rawValue: String

    /// Creates an environment.
    /// - Parameter rawValue: the name as it stands in the data.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Purchases paid with money.
    public static let production = AppStoreEnvironment(rawValue: "Production")
    /// Purchases made with test accounts.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    /// Data that the development tool signed by itself.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    /// Data that a test on the developer's own machine signed.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// The data is a development tool's and proves nothing.
    var isTest: Bool { self == .xcode || self == .localTesting }

    /// The side of the store; nil where the store is not behind it.
    var side: StoreEnvironment? {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        default: nil
        }
    }
}
