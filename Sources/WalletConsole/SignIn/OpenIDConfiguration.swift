/// The settings for the sign-in at one OpenID Connect issuer.
public struct OpenIDConfiguration: Sendable {
    /// The issuer's address, exactly as in its discovery document and its tokens.
    public var issuer: String
    /// The client id of this service at the issuer.
    public var clientID: String
    /// The client secret of this service; nil for a public client, which uses only PKCE.
    public var clientSecret: String?
    /// The requested scopes, separated by spaces; they include `openid`.
    public var scopes: String
    /// The address to which the issuer returns browsers, exactly as registered there.
    public var redirectURL: String
    /// The number of seconds by which the clocks of issuer and service may differ.
    public var leeway: Double
    /// A Boolean value that indicates whether `http:` is accepted for loopback addresses, for development and tests.
    public var allowsPlainLoopback: Bool
    /// The maximum duration of a request to the issuer, including its response.
    public var timeout: Duration
    /// The maximum size of a response of the issuer in bytes.
    public var maximumBytes: Int

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The issuer's address.
    ///   - clientID: The client id of this service at the issuer.
    ///   - clientSecret: The client secret of this service; nil for a public client.
    ///   - scopes: The requested scopes, separated by spaces.
    ///   - redirectURL: The address to which the issuer returns browsers.
    ///   - leeway: The number of seconds by which clocks may differ.
    ///   - allowsPlainLoopback: A Boolean value that indicates whether `http:` is accepted for loopback addresses.
    ///   - timeout: The maximum duration of a request to the issuer.
    ///   - maximumBytes: The maximum size of a response in bytes.
    public init(
        issuer: String,
        clientID: String,
        clientSecret: String? = nil,
        scopes: String = "openid profile email",
        redirectURL: String,
        leeway: Double = 60,
        allowsPlainLoopback: Bool = false,
        timeout: Duration = .seconds(5),
        maximumBytes: Int = 256 * 1_024
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.redirectURL = redirectURL
        self.leeway = leeway
        self.allowsPlainLoopback = allowsPlainLoopback
        self.timeout = timeout
        self.maximumBytes = maximumBytes
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
