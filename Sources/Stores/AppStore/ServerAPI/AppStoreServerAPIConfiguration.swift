/// Where, as whom and how often the App Store Server API is called.
///
/// The composition root reads these from the configuration. The key is the one of App Store Connect's page "Users and
/// Access", tab "Integrations", kind "In-App Purchase".
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
    /// The bundle id of the app; answers about another app are not believed.
    public var bundleID: String
    /// The host that is asked first, without a path at the end.
    public var productionURL: String
    /// The host that is asked when the first one does not know the transaction.
    public var sandboxURL: String
    /// How many calls a second each side gets at most, so that one busy hour does not use up the vendor's own limit;
    /// default 10.
    public var callsPerSecond: Int
    /// How long a token for the API is valid, at most 60 minutes; default 5 minutes.
    public var tokenLifetime: Duration
    /// How many pages of one answer are read; default 200.
    public var maximumPages: Int
    /// How long calls may take, how often they are made, and when a host counts as down; answers are of 4 MiB at most.
    public var limits: StoreCallLimits

    /// Creates a configuration with the default limits.
    /// - Parameters:
    ///   - issuerID: the issuer id of App Store Connect.
    ///   - keyID: the id of the private key.
    ///   - privateKeyPEM: the private key, P-256, as PEM.
    ///   - bundleID: the bundle id of the app.
    ///   - productionURL: the host for real purchases.
    ///   - sandboxURL: the host for test purchases.
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

    /// True where both hosts are the vendor's own; anything else should need the operator's explicit word.
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
