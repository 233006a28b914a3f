public import Foundation
import Hummingbird
public import Wallet

/// The configuration of the operator console.
public struct ConsoleConfiguration: Sendable {
    /// The methods by which operators sign in.
    public enum SignIn: Sendable {
        /// With one click, as this operator; only for `dev`.
        case oneClick(ConsoleOperator)
        /// At an OpenID Connect issuer; the closure returns the operator for an identity, or nil if the identity has no
        /// right.
        case openID(OpenIDClient, @Sendable (OpenIDIdentity) -> ConsoleOperator?)
    }

    /// The method by which operators sign in.
    public var signIn: SignIn
    /// The secret that signs cookies and forms: at least 32 bytes, the same on every instance.
    public var secret: [UInt8]
    /// The name of the console's wallet; nil if the process serves only one wallet.
    ///
    /// Consoles of other wallets may use the same secret and host; each console accepts only its own sessions.
    public var wallet: String?
    /// The API's address for apps and curl, shown in the pages.
    public var apiURL: String
    /// A Boolean value that indicates whether browsers reach the console over TLS, so that cookies require it.
    public var isSecure = true
    /// The number of seconds without a request after which a session ends.
    public var idleLifetime = Self.defaultLifetimes.idle
    /// The maximum lifetime of a session in seconds.
    public var lifetime = Self.defaultLifetimes.total
    /// The number of seconds after the sign-in in which the operator may change balances and prices.
    public var moneyLifetime = Self.defaultLifetimes.money
    /// A closure that returns this instance's metrics in Prometheus' text format; nil for no metrics.
    public var metrics: (@Sendable () -> String)?
    /// A closure that returns the current time for sessions: the real time, even if the wallet's clock differs.
    public var now: @Sendable () -> Date = { Date() }

    /// The default lifetimes of sessions in seconds.
    public static let defaultLifetimes: (idle: TimeInterval, total: TimeInterval, money: TimeInterval) =
        (1_800, 43_200, 900)

    /// Creates a configuration with the defaults.
    ///
    /// - Parameters:
    ///   - signIn: The method by which operators sign in.
    ///   - secret: The secret that signs cookies and forms, at least 32 bytes.
    ///   - apiURL: The API's address, for commands to copy.
    public init(signIn: SignIn, secret: [UInt8], apiURL: String) {
        self.signIn = signIn
        self.secret = secret
        self.apiURL = apiURL
    }
}

extension ConsoleConfiguration {
    /// Returns the seal for one kind of value.
    ///
    /// Values of another kind or of another wallet fail its verification.
    func seal(for purpose: String) -> Seal {
        Seal(secret: self.secret, purpose: self.wallet.map { "\(purpose) of \($0)" } ?? purpose)
    }

    /// Returns the name of a cookie.
    ///
    /// With the prefix `__Host-`, a browser accepts it only from this host and over TLS.
    ///
    /// Cookies do not distinguish ports, so the consoles of two wallets on one host need different names.
    func cookieName(_ name: String) -> String {
        (self.isSecure ? "__Host-" : "") + name + (self.wallet.map { "-\($0)" } ?? "")
    }

    /// Returns a cookie that scripts cannot read, to set for a number of seconds.
    ///
    /// With SameSite Lax, a browser also sends it when it returns from the issuer or follows a link from another site,
    /// such as a ticket. This is safe because GET requests change nothing.
    func cookie(_ name: String, _ value: String, for seconds: TimeInterval) -> Cookie {
        Cookie(
            name: self.cookieName(name),
            value: value,
            maxAge: Int(seconds),
            path: "/",
            secure: self.isSecure,
            httpOnly: true,
            sameSite: .lax
        )
    }
}

/// An operator who is signed in to the console.
public struct ConsoleOperator: Sendable, Codable, Equatable {
    /// The operator's id, which is recorded as the actor of changes.
    public let id: String
    /// The operator's name in the pages.
    public let name: String
    /// The operator's right.
    public let right: OperatorRight

    /// Creates an operator.
    ///
    /// - Parameters:
    ///   - id: The operator's id, which is recorded as the actor of changes.
    ///   - name: The operator's name in the pages.
    ///   - right: The operator's right.
    public init(id: String, name: String, right: OperatorRight) {
        self.id = id
        self.name = name
        self.right = right
    }
}

/// The origin of a sign-in step, and whether it may continue.
public struct SignInCaller: Sendable, Equatable {
    /// The client's address, as shown in logs.
    public let address: String
    /// The number of seconds to wait after too many sign-in steps from the address; nil to continue.
    public let wait: Int?

    /// Creates a description of a caller.
    ///
    /// - Parameters:
    ///   - address: The client's address.
    ///   - wait: The number of seconds to wait; nil to continue.
    public init(address: String, wait: Int?) {
        self.address = address
        self.wait = wait
    }
}
