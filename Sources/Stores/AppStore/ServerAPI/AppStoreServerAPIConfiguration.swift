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
    /// How long one call may take, connection included; default 10 s.
    public var attemptTimeout: Duration
    /// How long one answer, or one page of it, may take with all calls to both sides; default 25 s.
    public var deadline: Duration
    /// How often one side is called for one answer while it gives passing failures; default 3.
    public var maximumAttempts: Int
    /// The pause before the second call, doubled before each further one, with jitter; default 250 ms.
    public var retryDelay: Duration
    /// How many calls a second each side gets at most, so that one busy hour does not use up the vendor's own limit;
    /// default 10.
    public var callsPerSecond: Int
    /// How long a token for the API is valid, at most 60 minutes; default 5 minutes.
    public var tokenLifetime: Duration
    /// The largest answer; default 4 MiB.
    public var maximumResponseBytes: Int
    /// How many pages of one answer are read; default 200.
    public var maximumPages: Int
    /// When a side counts as down.
    public var breaker: CircuitBreakerConfiguration
    /// After how many seconds to try again when the store names no time; default 5.
    public var retryAfter: Int

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
        self.attemptTimeout = .seconds(10)
        self.deadline = .seconds(25)
        self.maximumAttempts = 3
        self.retryDelay = .milliseconds(250)
        self.callsPerSecond = 10
        self.tokenLifetime = .seconds(300)
        self.maximumResponseBytes = 4 * 1_024 * 1_024
        self.maximumPages = 200
        self.breaker = CircuitBreakerConfiguration()
        self.retryAfter = 5
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

    /// The limits that every store's host has.
    var limits: StoreCallLimits {
        var limits = StoreCallLimits()
        limits.attemptTimeout = self.attemptTimeout
        limits.deadline = self.deadline
        limits.maximumAttempts = self.maximumAttempts
        limits.retryDelay = self.retryDelay
        limits.maximumResponseBytes = self.maximumResponseBytes
        limits.breaker = self.breaker
        limits.retryAfter = self.retryAfter
        return limits
    }
}
