/// The hosts, credentials and limits for calling the App Store Server API.
///
/// The composition root reads these values from the configuration. The key is created in App Store Connect: page "Users
/// and Access", tab "Integrations", kind "In-App Purchase".
public struct AppStoreServerAPIConfiguration: Sendable {
    /// The vendor's host for real purchases.
    public static let vendorProductionURL = "https://api.storekit.apple.com"
    /// The vendor's host for test purchases.
    public static let vendorSandboxURL = "https://api.storekit-sandbox.apple.com"

    /// The issuer id that App Store Connect shows above the keys.
    public var issuerID: String
    /// The id of the private key.
    public var keyID: String
    /// The private key as PEM, the content of the `.p8` file.
    public var privateKeyPEM: String
    /// The bundle id of the app; answers about another app are rejected.
    public var bundleID: String
    /// The host that is called first, without a path.
    public var productionURL: String
    /// The host that is called if the first one does not find the transaction.
    public var sandboxURL: String
    /// The maximum number of calls per second to each environment; default 10.
    ///
    /// It keeps a busy hour from using up the vendor's limit.
    public var callsPerSecond: Int
    /// The lifetime of an API token, at most 60 minutes; default 5 minutes.
    public var tokenLifetime: Duration
    /// The maximum number of pages that are read of one answer; default 200.
    public var maximumPages: Int
    /// The timeouts, retries and circuit breaker settings of calls; an answer may have at most 4 MiB.
    public var limits: StoreCallLimits

    /// Creates a configuration with the default limits.
    /// - Parameters:
    ///   - issuerID: The issuer id of App Store Connect.
    ///   - keyID: The id of the private key.
    ///   - privateKeyPEM: The private key, P-256, as PEM.
    ///   - bundleID: The bundle id of the app.
    ///   - productionURL: The host for real purchases.
    ///   - sandboxURL: The host for test purchases.
    public init(
        issuerID: String,
        keyID: String,
        privateKeyPEM: String,
        bundleID: String,
        productionURL: String = Self.vendorProductionURL,
        sandboxURL: String = Self.vendorSandboxURL
    ) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.privateKeyPEM = privateKeyPEM
        self.bundleID = bundleID
        self.productionURL = productionURL
        self.sandboxURL = sandboxURL
        self.limits = StoreCallLimits()
        self.limits.maximumResponseBytes = 4 * 1_024 * 1_024
        self.callsPerSecond = 10
        self.tokenLifetime = .seconds(300)
        self.maximumPages = 200
    }

    /// A Boolean value that indicates whether both hosts are the vendor's own; other hosts should require the
    /// operator's explicit consent.
    public var usesVendorEndpoints: Bool {
        self.productionURL == Self.vendorProductionURL && self.sandboxURL == Self.vendorSandboxURL
    }

    func url(of environment: StoreEnvironment) -> String {
        switch environment {
        case .production: self.productionURL
        case .sandbox: self.sandboxURL
        }
    }
}
