import AsyncHTTPClient
import Foundation
import Logging
import Wallet
import WalletAPI
import WalletConsole

/// How operators sign in to the console of `serve`, and what they may do there.
struct OperatorSignIn: Sendable {
    let openID: OpenIDConfiguration
    let rights: OperatorRights
    /// What stands before an operator's subject in the audit.
    let prefix: String
    /// How many steps of sign-ins may come from one address.
    let limit: RateLimit
    let secret: [UInt8]
    /// Which of several wallets the console is of; nil where there is one.
    let wallet: String?
    let apiURL: String
    /// Whether browsers reach the console over TLS.
    let isSecure: Bool
    let idleLifetime: TimeInterval
    let lifetime: TimeInterval
    let moneyLifetime: TimeInterval

    /// Configures the console.
    ///
    /// - Parameters:
    ///   - httpClient: What asks the issuer.
    ///   - logger: Learns why an issuer could not be asked.
    /// - Returns: The console's configuration.
    /// - Throws: ``CommandError`` for what no sign-in can succeed with.
    func console(httpClient: HTTPClient, logger: Logger) throws(CommandError) -> ConsoleConfiguration {
        let client: OpenIDClient
        do {
            client = try OpenIDClient(self.openID, httpClient: httpClient, logger: logger)
        } catch {
            throw CommandError(.configuration, "The console cannot be used. \(error.reason)")
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

    /// Finds the operator that an identity stands for; nil for somebody to whom no claim gives a right.
    func owner(_ identity: OpenIDIdentity) -> ConsoleOperator? {
        guard let right = self.rights.right(in: .object(identity.claims)) else { return nil }
        return ConsoleOperator(
            id: self.prefix + identity.subject,
            name: identity.name ?? identity.email ?? identity.subject,
            right: right
        )
    }
}
