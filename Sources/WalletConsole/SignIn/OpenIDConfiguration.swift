/// The settings for the sign-in at one OpenID Connect issuer.
public struct OpenIDConfiguration: Sendable {
    /// The issuer's address, exactly as in its discovery document and its tokens.
    public var issuer: String
    /// The client id of this service at the issuer.
    public var clientID: String
    /// The client secret of this service; nil for a public client, which uses only PKCE.
    public var clientSecret: String?
    /// The requested scopes, separated by spaces; they include `openid`.
    public var scopes = Self.defaultScopes
    /// The address to which the issuer returns browsers, exactly as registered there.
    public var redirectURL: String
    /// The number of seconds by which the clocks of issuer and service may differ.
    public var leeway: Double = 60
    /// A Boolean value that indicates whether `http:` is accepted for loopback addresses, for development and tests.
    public var allowsPlainLoopback = false
    /// The maximum duration of a request to the issuer, including its response.
    public var timeout: Duration = .seconds(5)
    /// The maximum size of a response of the issuer in bytes.
    public var maximumBytes = 256 * 1_024

    /// The default of ``scopes``.
    public static let defaultScopes = "openid profile email"

    /// Creates a configuration with the defaults.
    ///
    /// - Parameters:
    ///   - issuer: The issuer's address.
    ///   - clientID: The client id of this service at the issuer.
    ///   - redirectURL: The address to which the issuer returns browsers.
    public init(issuer: String, clientID: String, redirectURL: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURL = redirectURL
    }

    /// Refuses a configuration with which no sign-in can succeed, or that would trust unauthenticated data.
    ///
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` with the reason.
    public func validate() throws(SignInError) {
        guard self.isAcceptable(self.issuer), !self.issuer.contains("?") else {
            throw .invalidConfiguration("The issuer must be an https address without a query.")
        }
        guard self.isAcceptable(self.redirectURL) else {
            throw .invalidConfiguration("The redirect address must be an https address.")
        }
        if self.clientID.isEmpty { throw .invalidConfiguration("The client id is empty.") }
        if self.clientSecret?.isEmpty == true { throw .invalidConfiguration("The client secret is empty.") }
        guard self.scopes.split(separator: " ").contains("openid") else {
            throw .invalidConfiguration("The scopes must contain openid.")
        }
        guard (0...300).contains(self.leeway) else {
            throw .invalidConfiguration("The leeway must be between 0 and 300 seconds.")
        }
        guard self.timeout > .zero, self.maximumBytes > 0 else {
            throw .invalidConfiguration("The timeout and the maximum response size must be greater than 0.")
        }
    }

    /// Returns whether secrets may be sent to an address.
    func isAcceptable(_ address: String) -> Bool {
        IssuerAddress.isAcceptable(address, allowsPlainLoopback: self.allowsPlainLoopback)
    }

    /// The address of the issuer's metadata.
    ///
    /// A slash at the issuer's end is omitted, as OpenID Connect Discovery requires.
    var discoveryURL: String {
        let base = self.issuer.hasSuffix("/") ? String(self.issuer.dropLast()) : self.issuer
        return base + "/.well-known/openid-configuration"
    }
}

extension OpenIDConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer and the client id, without the secret.
    public var description: String { "\(self.clientID) at \(self.issuer)" }
    /// The same text as ``description``, so that logs never contain the secret.
    public var debugDescription: String { self.description }
    /// A mirror without members, because they would include the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
