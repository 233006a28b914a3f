/// Where and how App Store receipts are verified.
///
/// The composition root reads these from the configuration; there is no default for the apps, since a verifier that
/// accepts any app's receipts would give credits for other people's sales.
public struct AppStoreReceiptConfiguration: Sendable {
    /// The vendor's endpoint for receipts of real purchases.
    public static let vendorProductionURL = "https://buy.itunes.apple.com/verifyReceipt"
    /// The vendor's endpoint for receipts of test purchases.
    public static let vendorSandboxURL = "https://sandbox.itunes.apple.com/verifyReceipt"

    /// The bundle ids of the apps whose receipts are accepted.
    public var bundleIDs: Set<String>
    /// The app-specific shared secret; the store asks for it only where there are auto-renewing subscriptions.
    public var sharedSecret: String?
    /// The endpoint that is asked first.
    public var productionURL: String
    /// The endpoint that is asked when the first one says that the receipt is a test one (21007).
    public var sandboxURL: String
    /// The largest receipt, counted in bytes of the text as submitted; default 2 MiB.
    public var maximumReceiptBytes: Int
    /// How long a refused receipt is answered from memory; default 10 minutes.
    public var refusalLifetime: Duration
    /// How many refused receipts are remembered; default 10,000.
    public var refusalCapacity: Int
    /// How long a verified receipt can be answered from memory to a caller who may not have the store asked; default
    /// 1 minute.
    public var recentLifetime: Duration
    /// How many verified receipts are remembered; default 1,000.
    public var recentCapacity: Int
    /// How long calls may take, how often they are made, and when a host counts as down.
    ///
    /// A receipt with status 21002 is sent twice at most.
    public var limits: StoreCallLimits

    /// Creates a configuration with the vendor's endpoints and the default limits.
    /// - Parameters:
    ///   - bundleIDs: the bundle ids of the apps whose receipts are accepted.
    ///   - sharedSecret: the app-specific shared secret, if there is one.
    ///   - productionURL: the endpoint for real purchases.
    ///   - sandboxURL: the endpoint for test purchases.
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

    /// True where both endpoints are the vendor's own; anything else should need the operator's explicit word.
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
