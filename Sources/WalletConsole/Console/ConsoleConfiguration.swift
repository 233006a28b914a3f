public import Foundation

/// Configures the operators' console.
public struct ConsoleConfiguration: Sendable {
    /// How operators sign in.
    public enum SignIn: Sendable {
        /// By one click, as this operator; for `dev` alone.
        case oneClick(ConsoleOperator)
        /// At an OpenID Connect issuer, as the operator that an identity stands for; nil for somebody without a right.
        case openID(OpenIDClient, @Sendable (OpenIDIdentity) -> ConsoleOperator?)
    }

    /// How operators sign in.
    public var signIn: SignIn
    /// What cookies and forms are signed with: at least 32 bytes, the same on every instance.
    public var secret: [UInt8]
    /// Which of several wallets the console is of; nil where there is one.
    ///
    /// Consoles of other wallets may have the same secret and the same host, and none takes a session of another.
    public var wallet: String?
    /// Where apps and curl reach the API, for the lines that the pages show.
    public var apiURL: String
    /// Whether browsers reach the console over TLS, so that cookies must not go without it.
    public var isSecure: Bool
    /// How many seconds a session lives without a request.
    public var idleLifetime: TimeInterval
    /// How many seconds a session lives at most.
    public var lifetime: TimeInterval
    /// For how many seconds after the sign-in money may be moved.
    public var moneyLifetime: TimeInterval
    /// What this instance measures, in Prometheus' text format; nil for nothing.
    public var metrics: (@Sendable () -> String)?
    /// The clock of the sessions: the real one, wherever the wallet's stands.
    public var now: @Sendable () -> Date

    /// Configures the console.
    ///
    /// - Parameters:
    ///   - signIn: How operators sign in.
    ///   - secret: What cookies and forms are signed with.
    ///   - wallet: Which of several wallets the console is of; nil where there is one.
    ///   - apiURL: Where the API is, for lines to copy.
    ///   - isSecure: Whether browsers reach the console over TLS.
    ///   - idleLifetime: Seconds that a session lives without a request.
    ///   - lifetime: Seconds that a session lives at most.
    ///   - moneyLifetime: Seconds after the sign-in for which money may be moved.
    ///   - metrics: What this instance measures, in Prometheus' text format; nil for nothing.
    ///   - now: The clock of the sessions.
    public init(
        signIn: SignIn,
        secret: [UInt8],
        wallet: String? = nil,
        apiURL: String,
        isSecure: Bool = true,
        idleLifetime: TimeInterval = 1_800,
        lifetime: TimeInterval = 43_200,
        moneyLifetime: TimeInterval = 900,
        metrics: (@Sendable () -> String)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.signIn = signIn
        self.secret = secret
        self.wallet = wallet
        self.apiURL = apiURL
        self.isSecure = isSecure
        self.idleLifetime = idleLifetime
        self.lifetime = lifetime
        self.moneyLifetime = moneyLifetime
        self.metrics = metrics
        self.now = now
    }
}

extension ConsoleConfiguration {
    /// What one kind of value is signed with: a value of another kind, or of another wallet, does not open.
    func seal(for purpose: String) -> Seal {
        Seal(secret: self.secret, purpose: self.wallet.map { "\(purpose) of \($0)" } ?? purpose)
    }

    /// The name of a cookie; with `__Host-` a browser takes it from this very host, over TLS, and nowhere else.
    ///
    /// Cookies know no port, so two wallets' consoles on one host need names of their own.
    func cookieName(_ name: String) -> String {
        (self.isSecure ? "__Host-" : "") + name + (self.wallet.map { "-\($0)" } ?? "")
    }
}
