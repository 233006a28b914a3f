public import Foundation

/// Where and as whom Google Play is asked, and about which app.
public struct GooglePlayConfiguration: Sendable {
    /// The vendor's endpoint for access tokens.
    public static let vendorTokenURL = "https://oauth2.googleapis.com/token"
    /// The vendor's server.
    public static let vendorBaseURL = "https://androidpublisher.googleapis.com"

    /// The package name of the app.
    public var packageName: String
    /// The service account that asks.
    public var serviceAccountEmail: String
    /// The service account's private key, RSA, in PEM.
    public var privateKeyPEM: String
    /// The endpoint for access tokens, also their requests' audience.
    public var tokenURL: String
    /// The server's address, without a slash at its end.
    public var baseURL: String
    /// How long calls may take and how often they are made.
    public var limits: StoreCallLimits

    /// Creates a configuration.
    /// - Parameters:
    ///   - packageName: the package name of the app.
    ///   - serviceAccountEmail: the service account that asks.
    ///   - privateKeyPEM: the service account's private key.
    ///   - tokenURL: the endpoint for access tokens.
    ///   - baseURL: the server's address.
    public init(
        packageName: String,
        serviceAccountEmail: String,
        privateKeyPEM: String,
        tokenURL: String = Self.vendorTokenURL,
        baseURL: String = Self.vendorBaseURL
    ) {
        self.packageName = packageName
        self.serviceAccountEmail = serviceAccountEmail
        self.privateKeyPEM = privateKeyPEM
        self.tokenURL = tokenURL
        self.baseURL = baseURL
        self.limits = StoreCallLimits()
    }

    /// Creates a configuration from the key file that Google gives out for a service account.
    ///
    /// The file's own endpoint for tokens is used; where it is not the vendor's, ``usesVendorEndpoints`` says so.
    /// - Parameters:
    ///   - serviceAccountJSON: the file's bytes.
    ///   - packageName: the package name of the app.
    /// - Throws: ``StoreError`` `misconfigured` for anything but such a file.
    public init(serviceAccountJSON: Data, packageName: String) throws(StoreError) {
        guard
            let file = try? StoreDocument(parsing: serviceAccountJSON),
            let email = try? file.text("client_email"),
            case .text(let key)? = file["private_key"]
        else { throw StoreError(.misconfigured) }
        self.init(
            packageName: packageName,
            serviceAccountEmail: email,
            privateKeyPEM: key,
            tokenURL: (try? file.text("token_uri")) ?? Self.vendorTokenURL
        )
    }

    /// True where both endpoints are the vendor's own; anything else should need the operator's explicit word.
    public var usesVendorEndpoints: Bool {
        self.tokenURL == Self.vendorTokenURL && self.baseURL == Self.vendorBaseURL
    }
}
