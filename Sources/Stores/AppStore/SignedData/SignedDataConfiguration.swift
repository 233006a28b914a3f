import Foundation

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

/// The root certificate of the App Store's signatures: Apple Root CA - G3, valid until 2039.
enum AppleRootCertificate {
    /// The certificate in DER; its SHA-256 is 63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179.
    static var g3: [UInt8] {
        Data(base64Encoded: Self.base64).map { [UInt8]($0) } ?? []
    }

    private static let base64 =
        "MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQL"
        + "DB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMw"
        + "MTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRp"
        + "ZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49AgEGBSuBBAAiA2IA"
        + "BJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqX"
        + "l5dvMVztK517IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8w"
        + "DgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWT"
        + "xnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM6BgD56KyKA=="
}
