/// Where and how RevenueCat is asked about a customer.
public struct RevenueCatAPIConfiguration: Sendable {
    /// The vendor's server.
    public static let vendorBaseURL = "https://api.revenuecat.com"

    /// The secret API key, version 1.
    public var secretKey: String
    /// The server's address, without a slash at its end.
    public var baseURL: String
    /// How long calls may take and how often they are made.
    public var limits: StoreCallLimits

    /// Creates a configuration.
    /// - Parameters:
    ///   - secretKey: the secret API key.
    ///   - baseURL: the server's address.
    public init(secretKey: String, baseURL: String = Self.vendorBaseURL) {
        self.secretKey = secretKey
        self.baseURL = baseURL
        self.limits = StoreCallLimits()
    }

    /// True where the server is the vendor's own; anything else should need the operator's explicit word.
    public var usesVendorEndpoints: Bool { self.baseURL == Self.vendorBaseURL }
}
