import AsyncHTTPClient
import CommandOutput
import Foundation
import JSON
import Logging
import Wallet
import WalletAPI
import WalletConsole

/// The configuration keys of the operator console.
extension ConfigurationKey {
    static let consoleIssuer = Self(
        "CONSOLE_ISSUER",
        .optional,
        "The OpenID Connect issuer at which operators sign in, exactly as in its discovery document, such as "
            + "https://login.example/realms/studio. Without it, there is no console."
    )
    static let consoleURL = Self(
        "CONSOLE_URL",
        .required,
        "Public address of the console's host, such as https://wallet.example. The pages are below /console. Register "
            + "/console/signed-in at this address as a redirect URI with the issuer."
    )
    static let consoleClientID = Self("CONSOLE_CLIENT_ID", .required, "The console's client id at the issuer.")
    static let consoleClientSecret = Self(
        "CONSOLE_CLIENT_SECRET",
        .optional,
        isSecret: true,
        "The console's client secret at the issuer; leave it out for a public client."
    )
    static let consoleScopes = Self(
        "CONSOLE_SCOPES",
        .fallback(OpenIDConfiguration.defaultScopes),
        "Scopes that the console requests, separated by spaces. Some issuers include groups only if a separate scope "
            + "is requested."
    )
    static let consoleSecret = Self(
        "CONSOLE_SECRET",
        .required,
        isSecret: true,
        "Secret that signs cookies and forms: at least 32 bytes, the same on every instance. A new secret signs out "
            + "all operators."
    )
    static let consoleRightsClaim = Self(
        "CONSOLE_RIGHTS_CLAIM",
        .fallback("groups"),
        "Claim of the ID token that determines an operator's role, as in AUTH_NAME_RIGHTS_CLAIM."
    )
    static let consoleRights = Self(
        "CONSOLE_RIGHTS",
        .required,
        "Role for each value of the claim, as in AUTH_NAME_RIGHTS: studio-desk=support,studio-owners=admin. All other "
            + "users are refused."
    )
    static let consolePrefix = Self(
        "CONSOLE_PREFIX",
        .fallback(""),
        "Prefix of the ID token's `sub` in the audit log's names of console operators."
    )
    static let consoleHost = Self(
        "CONSOLE_HOST",
        .fallback("127.0.0.1"),
        "Address that the console listens on if CONSOLE_PORT is set."
    )
    static let consolePort = Self(
        "CONSOLE_PORT",
        .optional,
        "Separate port for the console, which users need not reach. Without it, the console is served on HTTP_PORT."
    )
    static let consoleAPIURL = Self(
        "CONSOLE_API_URL",
        .optional,
        "Public address of the API, for the curl commands that the console shows. Without it, they use CONSOLE_URL."
    )
    static let consoleIdleMinutes = Self(
        "CONSOLE_SESSION_IDLE_MINUTES",
        .fallback(value: Int(ConsoleConfiguration.defaultLifetimes.idle / 60)),
        "Minutes without a request after which a session ends."
    )
    static let consoleHours = Self(
        "CONSOLE_SESSION_HOURS",
        .fallback(value: Int(ConsoleConfiguration.defaultLifetimes.total / 3_600)),
        "Hours after which every session ends."
    )
    static let consoleMoneyMinutes = Self(
        "CONSOLE_REAUTHENTICATION_MINUTES",
        .fallback(value: Int(ConsoleConfiguration.defaultLifetimes.money / 60)),
        "Minutes after a sign-in during which an operator may change balances and prices. After that, the issuer asks "
            + "the operator to sign in again. This requires auth_time in the issuer's ID tokens; without it, the "
            + "console refuses such changes."
    )
    static let consoleSignIns = Self(
        "CONSOLE_SIGN_INS_PER_MINUTE",
        .fallback("10"),
        "Maximum sign-ins from one address per minute."
    )

    static let allOfConsole = [
        consoleIssuer, consoleURL, consoleClientID, consoleClientSecret, consoleScopes, consoleSecret,
        consoleRightsClaim, consoleRights, consolePrefix, consoleHost, consolePort, consoleAPIURL, consoleIdleMinutes,
        consoleHours, consoleMoneyMinutes, consoleSignIns,
    ]
}

/// The settings for operators' sign-in to the console of `serve`, and for their rights.
struct OperatorSignIn: Sendable {
    let openID: OpenIDConfiguration
    let rights: OperatorRights
    /// The text that precedes an operator's subject in the audit log.
    let prefix: String
    /// The limit on sign-in steps from one address.
    let limit: RateLimit
    let secret: [UInt8]
    /// The name of the console's wallet; nil if there is only one wallet.
    let wallet: String?
    let apiURL: String
    /// A Boolean value that indicates whether browsers reach the console over TLS.
    let isSecure: Bool
    let idleLifetime: TimeInterval
    let lifetime: TimeInterval
    let moneyLifetime: TimeInterval

    /// Returns the console's configuration.
    ///
    /// - Parameters:
    ///   - httpClient: The client for requests to the issuer.
    ///   - logger: The logger for failed requests to the issuer.
    /// - Returns: The console's configuration.
    /// - Throws: ``CommandError`` for a configuration with which no sign-in can succeed.
    func console(httpClient: HTTPClient, logger: Logger) throws(CommandError) -> ConsoleConfiguration {
        let client: OpenIDClient
        do {
            client = try OpenIDClient(self.openID, httpClient: httpClient, logger: logger)
        } catch {
            throw CommandError(.configuration, "Invalid console configuration. \(error.reason)")
        }
        var console = ConsoleConfiguration(
            signIn: .openID(client) { self.owner($0) },
            secret: self.secret,
            apiURL: self.apiURL
        )
        console.wallet = self.wallet
        console.isSecure = self.isSecure
        console.idleLifetime = self.idleLifetime
        console.lifetime = self.lifetime
        console.moneyLifetime = self.moneyLifetime
        return console
    }

    /// Returns the operator for an identity; nil if no claim grants a right.
    func owner(_ identity: OpenIDIdentity) -> ConsoleOperator? {
        guard let right = self.rights.right(in: .object(identity.claims)) else { return nil }
        return ConsoleOperator(
            id: self.prefix + identity.subject,
            name: identity.name ?? identity.email ?? identity.subject,
            right: right
        )
    }
}

extension OperatorSignIn {
    /// Reads the settings for the console's sign-in; nil if there is no console.
    ///
    /// - Configuration keys: `CONSOLE_ISSUER`, `CONSOLE_URL`, `CONSOLE_SECRET`, `CONSOLE_RIGHTS_CLAIM`,
    ///   `CONSOLE_RIGHTS`, `CONSOLE_PREFIX`, `CONSOLE_SIGN_INS_PER_MINUTE`, `CONSOLE_API_URL`,
    ///   `CONSOLE_SESSION_IDLE_MINUTES`, `CONSOLE_SESSION_HOURS`, `CONSOLE_REAUTHENTICATION_MINUTES`, and those of the
    ///   issuer.
    init?(reader: Settings) throws(CommandError) {
        guard let issuer = try reader.string(.consoleIssuer) else { return nil }
        let url = try reader.consoleAddress()
        let secret = Array(try reader.required(.consoleSecret).utf8)
        guard secret.count >= 32 else {
            throw ConfigurationKey.consoleSecret.refused("must have at least 32 bytes.")
        }
        self.init(
            openID: try OpenIDConfiguration(issuer, redirectURL: "\(url)/console/signed-in", reader: reader),
            rights: try OperatorRights(.consoleRights, in: try reader.required(.consoleRightsClaim), reader: reader),
            prefix: try reader.consolePrefix(),
            limit: RateLimit(quota: 2 * (try reader.integer(.consoleSignIns, in: 1...100_000)), window: 60),
            secret: secret,
            wallet: reader.wallet?.name,
            apiURL: try reader.string(.consoleAPIURL) ?? url,
            isSecure: url.hasPrefix("https:"),
            idleLifetime: 60 * Double(try reader.integer(.consoleIdleMinutes, in: 1...1_440)),
            lifetime: 3_600 * Double(try reader.integer(.consoleHours, in: 1...168)),
            moneyLifetime: 60 * Double(try reader.integer(.consoleMoneyMinutes, in: 1...1_440))
        )
    }
}

extension OpenIDConfiguration {
    /// Reads the settings for the sign-in at an issuer.
    ///
    /// - Configuration keys: `CONSOLE_CLIENT_ID`, `CONSOLE_CLIENT_SECRET`, `CONSOLE_SCOPES`, `OUTGOING_ALLOW_PRIVATE`.
    fileprivate init(_ issuer: String, redirectURL: String, reader: Settings) throws(CommandError) {
        self.init(issuer: issuer, clientID: try reader.required(.consoleClientID), redirectURL: redirectURL)
        self.clientSecret = try reader.string(.consoleClientSecret)
        self.scopes = try reader.required(.consoleScopes)
        // A console on the loopback address may use an issuer on the loopback address.
        self.allowsPlainLoopback = try reader.flag(.outgoingAllowPrivate) || redirectURL.hasPrefix("http:")
        do {
            try self.validate()
        } catch {
            throw CommandError(.configuration, "Invalid console configuration. \(error.reason)")
        }
    }
}

extension ListenAddress {
    /// Reads the console's own address; nil if the console shares the API's address.
    ///
    /// - Configuration keys: `CONSOLE_ISSUER`, `CONSOLE_PORT`, `CONSOLE_HOST`.
    init?(consoleOf reader: Settings) throws(CommandError) {
        guard try reader.string(.consoleIssuer) != nil else { return nil }
        guard try reader.string(.consolePort) != nil else {
            // The console's links are absolute paths, so they would lose the prefix `/wallets/NAME`.
            guard let wallet = reader.wallet else { return nil }
            throw ConfigurationKey.consolePort.of(wallet)
                .refused("is missing. Each wallet's console needs its own port.")
        }
        self.init(host: try reader.required(.consoleHost), port: try reader.integer(.consolePort, in: 0...65_535))
    }
}

extension Settings {
    fileprivate func consoleAddress() throws(CommandError) -> String {
        let text = try self.required(.consoleURL)
        let address = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: address), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.scheme == "https" || (url.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)),
            url.path().isEmpty, url.query() == nil, url.user() == nil
        else {
            throw ConfigurationKey.consoleURL.refused(
                "must be an https address without a path, such as https://wallet.example."
            )
        }
        return address
    }

    fileprivate func consolePrefix() throws(CommandError) -> String {
        let prefix = try self.string(.consolePrefix) ?? ""
        guard prefix.utf8.count <= 64, prefix.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ConfigurationKey.consolePrefix.refused(
                "must have at most 64 printable ASCII characters without spaces."
            )
        }
        return prefix
    }
}
