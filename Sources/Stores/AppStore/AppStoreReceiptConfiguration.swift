/// The endpoints, apps and limits for verifying App Store receipts.
///
/// The composition root reads these values from the configuration. The apps have no default: a verifier that accepts
/// the receipts of any app would grant credits for sales of other developers.
public struct AppStoreReceiptConfiguration: Sendable {
    /// The vendor's endpoint for receipts of real purchases.
    public static let vendorProductionURL = "https://buy.itunes.apple.com/verifyReceipt"
    /// The vendor's endpoint for receipts of test purchases.
    public static let vendorSandboxURL = "https://sandbox.itunes.apple.com/verifyReceipt"

    /// The bundle ids of the apps whose receipts are accepted.
    public var bundleIDs: Set<String>
    /// The app-specific shared secret; the store requires it only for receipts with auto-renewing subscriptions.
    public var sharedSecret: String?
    /// The endpoint that each receipt is sent to first.
    public var productionURL: String
    /// The endpoint for receipts that production identifies as sandbox receipts (status 21007).
    public var sandboxURL: String
    /// The largest receipt, counted in bytes of the text as submitted; default 2 MiB.
    public var maximumReceiptBytes: Int
    /// The time for which a refused receipt is answered from the cache; default 10 minutes.
    public var refusalLifetime: Duration
    /// The maximum number of refused receipts in the cache; default 10,000.
    public var refusalCapacity: Int
    /// The time for which a verified receipt is answered from the cache if the caller's permit denies a store call;
    /// default 1 minute.
    public var recentLifetime: Duration
    /// The maximum number of verified receipts in the cache; default 1,000.
    public var recentCapacity: Int
    /// The timeouts, retries and circuit breaker settings of calls.
    ///
    /// A receipt with status 21002 is sent at most twice.
    public var limits: StoreCallLimits

    /// Creates a configuration with the vendor's endpoints and the default limits.
    /// - Parameters:
    ///   - bundleIDs: The bundle ids of the apps whose receipts are accepted.
    ///   - sharedSecret: The app-specific shared secret, if there is one.
    ///   - productionURL: The endpoint for real purchases.
    ///   - sandboxURL: The endpoint for test purchases.
    public init(
        bundleIDs: Set<String>,
        sharedSecret: String? = nil,
        productionURL: String = Self.vendorProductionURL,
        sandboxURL: String = Self.vendorSandboxURL
    ) {
        self.bundleIDs = bundleIDs
        self.sharedSecret = sharedSecret
        self.productionURL = productionURL
        self.sandboxURL = sandboxURL
        self.limits = StoreCallLimits()
        self.maximumReceiptBytes = 2 * 1_024 * 1_024
        self.refusalLifetime = .seconds(600)
        self.refusalCapacity = 10_000
        self.recentLifetime = .seconds(60)
        self.recentCapacity = 1_000
    }

    /// A Boolean value that indicates whether both endpoints are the vendor's own; other endpoints should require the
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
