import AsyncHTTPClient
import Foundation
import Logging
import Wallet
import WalletAPI
import WalletConsole

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
        return ConsoleConfiguration(
            signIn: .openID(client) { self.owner($0) },
            secret: self.secret,
            wallet: self.wallet,
            apiURL: self.apiURL,
            isSecure: self.isSecure,
            idleLifetime: self.idleLifetime,
            lifetime: self.lifetime,
            moneyLifetime: self.moneyLifetime
        )
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
