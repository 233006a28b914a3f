/// Configures the sign-in at one OpenID Connect issuer.
public struct OpenIDConfiguration: Sendable {
    /// The issuer's address, exactly as its discovery document and its tokens give it.
    public var issuer: String
    /// What the issuer calls this service.
    public var clientID: String
    /// What proves to the issuer that it is this service; nil for a public client, which has PKCE alone.
    public var clientSecret: String?
    /// What is asked for, separated by spaces; `openid` is among it.
    public var scopes: String
    /// Where the issuer sends browsers back to, exactly as it is registered there.
    public var redirectURL: String
    /// By how many seconds the clocks of issuer and service may differ.
    public var leeway: Double
    /// Whether `http:` is accepted for addresses on this machine; for development and tests.
    public var allowsPlainLoopback: Bool
    /// How long one request to the issuer may take, its answer included.
    public var timeout: Duration
    /// The largest answer of the issuer that is read, in bytes.
    public var maximumBytes: Int

    /// Configures the sign-in.
    ///
    /// - Parameters:
    ///   - issuer: The issuer's address.
    ///   - clientID: What the issuer calls this service.
    ///   - clientSecret: What proves that it is this service; nil for a public client.
    ///   - scopes: What is asked for, separated by spaces.
    ///   - redirectURL: Where the issuer sends browsers back to.
    ///   - leeway: By how many seconds clocks may differ.
    ///   - allowsPlainLoopback: Whether `http:` is accepted on this machine.
    ///   - timeout: How long one request to the issuer may take.
    ///   - maximumBytes: The largest answer that is read.
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
    /// Issuer and client, without the secret.
    public var description: String { "\(self.clientID) at \(self.issuer)" }
    /// The same: the secret is in no log.
    public var debugDescription: String { self.description }
    /// No members: the secret would be one.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
