/// The endpoint, key and limits for calling RevenueCat.
public struct RevenueCatAPIConfiguration: Sendable {
    /// The vendor's server.
    public static let vendorBaseURL = "https://api.revenuecat.com"

    /// The secret API key, version 1.
    public var secretKey: String
    /// The base URL of the server, without a trailing slash.
    public var baseURL: String
    /// The timeouts, retries and circuit breaker settings of calls.
    public var limits: StoreCallLimits

    /// Creates a configuration.
    /// - Parameters:
    ///   - secretKey: The secret API key.
    ///   - baseURL: The base URL of the server.
    public init(secretKey: String, baseURL: String = Self.vendorBaseURL) {
        self.secretKey = secretKey
        self.baseURL = baseURL
        self.limits = StoreCallLimits()
    }

    /// A Boolean value that indicates whether the server is the vendor's own; another server should require the
    /// operator's explicit consent.
    public var usesVendorEndpoints: Bool { self.baseURL == Self.vendorBaseURL }
}
