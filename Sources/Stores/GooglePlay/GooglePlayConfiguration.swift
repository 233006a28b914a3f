public import Foundation
import JSON

/// The endpoints, credentials, app and limits for calling Google Play.
public struct GooglePlayConfiguration: Sendable {
    /// The vendor's endpoint for access tokens.
    public static let vendorTokenURL = "https://oauth2.googleapis.com/token"
    /// The vendor's server.
    public static let vendorBaseURL = "https://androidpublisher.googleapis.com"

    /// The package name of the app.
    public var packageName: String
    /// The email address of the service account.
    public var serviceAccountEmail: String
    /// The service account's private key, RSA, in PEM.
    public var privateKeyPEM: String
    /// The endpoint for access tokens, which is also the audience of token requests.
    public var tokenURL: String
    /// The base URL of the server, without a trailing slash.
    public var baseURL: String
    /// The timeouts, retries and circuit breaker settings of calls.
    public var limits: StoreCallLimits

    /// Creates a configuration.
    /// - Parameters:
    ///   - packageName: The package name of the app.
    ///   - serviceAccountEmail: The email address of the service account.
    ///   - privateKeyPEM: The service account's private key.
    ///   - tokenURL: The endpoint for access tokens.
    ///   - baseURL: The base URL of the server.
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

    /// Creates a configuration from the key file that Google issues for a service account.
    ///
    /// The file's token endpoint is used; if it is not the vendor's, ``usesVendorEndpoints`` is `false`.
    /// - Parameters:
    ///   - serviceAccountJSON: The file's bytes.
    ///   - packageName: The package name of the app.
    /// - Throws: ``StoreError`` `misconfigured` if the file is not a service account's key file.
    public init(serviceAccountJSON: Data, packageName: String) throws(StoreError) {
        guard
            let file = try? StoreDocument(parsing: serviceAccountJSON),
            let email = try? file.text("client_email"),
            let key = file["private_key"]?.value.text
        else { throw StoreError(.misconfigured) }
        self.init(
            packageName: packageName,
            serviceAccountEmail: email,
            privateKeyPEM: key,
            tokenURL: (try? file.text("token_uri")) ?? Self.vendorTokenURL
        )
    }

    /// A Boolean value that indicates whether both endpoints are the vendor's own; other endpoints should require the
    /// operator's explicit consent.
    public var usesVendorEndpoints: Bool {
        self.tokenURL == Self.vendorTokenURL && self.baseURL == Self.vendorBaseURL
    }
}
