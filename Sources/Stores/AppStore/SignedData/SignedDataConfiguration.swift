/// Whose signed data is accepted, and under which certificates.
///
/// There is no default for the apps: a verifier that accepts any app's transactions would give credits for other
/// people's sales.
public struct SignedDataConfiguration: Sendable {
    /// The bundle ids of the apps whose signed data is accepted.
    public var bundleIDs: Set<String>
    /// The App Store's numbers of those apps, compared where production data carries one; empty leaves that out.
    ///
    /// Test data has no such number. Transactions never carry one, notifications and app transactions do.
    public var appAppleIDs: Set<Int64>
    /// The sides of the store whose data is accepted; default both, since App Review buys in the sandbox.
    public var environments: Set<StoreEnvironment>
    /// The pinned root certificates in DER; default Apple Root CA - G3 alone.
    public var roots: [[UInt8]]
    /// Further root certificates in DER, for the stores of development and tests.
    ///
    /// What is verified under one of them counts as sandbox, whatever it says of itself.
    public var extraRoots: [[UInt8]]
    /// Whether the certificates' issuer is asked if it has revoked them; default no.
    ///
    /// Asking makes each new pair of certificates depend on the issuer's answer, which is remembered for 15 minutes.
    public var checksRevocation: Bool
    /// The largest signed transaction, renewal or app transaction, in bytes of the text as sent; default 64 KiB.
    public var maximumTransactionBytes: Int
    /// The largest signed notification, in bytes of the text as sent; default 256 KiB.
    public var maximumNotificationBytes: Int
    /// After how many seconds to try again when the issuer could not be asked; default 30.
    public var retryAfter: Int

    /// Creates a configuration with the pinned root and the default limits.
    /// - Parameters:
    ///   - bundleIDs: the bundle ids of the apps whose signed data is accepted.
    ///   - appAppleIDs: the App Store's numbers of those apps; empty for no such check.
    ///   - extraRoots: further roots in DER, whose data counts as sandbox.
    ///   - checksRevocation: whether the issuer is asked about revocation.
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
