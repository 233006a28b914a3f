/// The environment name in the App Store's signed data; unknown names survive decoding.
public struct AppStoreEnvironment: RawRepresentable, Codable, Hashable, Sendable {
    /// The name as the store writes it.
    public let rawValue: String

    /// Creates an environment.
    /// - Parameter rawValue: The name as the store writes it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Purchases paid with money.
    public static let production = AppStoreEnvironment(rawValue: "Production")
    /// Purchases made with test accounts.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    /// Data signed by Xcode.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    /// Data signed by a local test on the developer's machine.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// A Boolean value that indicates whether a development tool signed the data, which then proves nothing.
    var isTest: Bool { self == .xcode || self == .localTesting }

    /// The store environment; nil for data that is not from the store.
    var side: StoreEnvironment? {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        default: nil
        }
    }
}
