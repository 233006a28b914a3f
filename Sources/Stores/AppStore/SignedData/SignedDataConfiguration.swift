/// The apps and certificates whose signed data is accepted.
///
/// The apps have no default: a verifier that accepts the transactions of any app would grant credits for sales of other
/// developers.
public struct SignedDataConfiguration: Sendable {
    /// The bundle ids of the apps whose signed data is accepted.
    public var bundleIDs: Set<String>
    /// The App Store's numbers of those apps; an empty set disables this check.
    ///
    /// Sandbox data has no such number. Transactions never contain it; notifications and app transactions do.
    public var appAppleIDs: Set<Int64>
    /// The accepted store environments; default both, since App Review buys in the sandbox.
    public var environments: Set<StoreEnvironment>
    /// The pinned root certificates in DER; default Apple Root CA - G3 alone.
    public var roots: [[UInt8]]
    /// Extra root certificates in DER, for development and test stores.
    ///
    /// Data verified under an extra root is treated as sandbox data, regardless of the environment in the data.
    public var extraRoots: [[UInt8]]
    /// A Boolean value that indicates whether certificate revocation is checked with the issuer; default `false`.
    ///
    /// With the check, each new pair of certificates depends on the issuer's answer. A valid chain is cached for 15
    /// minutes.
    public var checksRevocation: Bool
    /// The maximum size of a signed transaction, renewal or app transaction, in bytes as sent; default 64 KiB.
    public var maximumTransactionBytes: Int
    /// The maximum size of a signed notification, in bytes as sent; default 256 KiB.
    public var maximumNotificationBytes: Int
    /// The number of seconds before a retry if the issuer could not be reached; default 30.
    public var retryAfter: Int

    /// Creates a configuration with the pinned root and the default limits.
    /// - Parameters:
    ///   - bundleIDs: The bundle ids of the apps whose signed data is accepted.
    ///   - appAppleIDs: The App Store's numbers of those apps; empty disables this check.
    ///   - extraRoots: Extra roots in DER; their data is treated as sandbox data.
    ///   - checksRevocation: `true` to check revocation with the issuer.
    public init(
        bundleIDs: Set<String>,
        appAppleIDs: Set<Int64> = [],
        extraRoots: [[UInt8]] = [],
        checksRevocation: Bool = false
    ) {
        self.bundleIDs = bundleIDs
        self.appAppleIDs = appAppleIDs
        self.environments = [.production, .sandbox]
        self.roots = [AppleRootCertificate.g3]
        self.extraRoots = extraRoots
        self.checksRevocation = checksRevocation
        self.maximumTransactionBytes = 64 * 1_024
        self.maximumNotificationBytes = 256 * 1_024
        self.retryAfter = 30
    }
}
