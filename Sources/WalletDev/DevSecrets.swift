package import CommandOutput
import Crypto
import CryptoExtras
import Foundation
package import WalletAPI

/// The secrets of a `dev` directory, generated at its first run and stored in files that only their owner can read.
package struct DevSecrets: Sendable {
    /// The secret that signs user tokens (HS256).
    let userToken: String
    /// The secret that signs operator tokens (HS256).
    let operatorToken: String
    /// The password of the cluster's superuser, for connections over TCP.
    package let databasePassword: String
    /// The shared secret between the wallet and the sandbox App Store.
    let appStoreSharedSecret: String
    /// The authorization value of RevenueCat's webhook.
    let revenueCatAuthorization: String
    /// The secret that signs RevenueCat's webhooks.
    let revenueCatSigningSecret: String
    /// The key for RevenueCat's API.
    let revenueCatAPIKey: String
    /// The App Store Server API key, which also signs promotional offers; P-256, PEM.
    let appStoreKey: String
    /// The key of Google Play's service account; RSA, PEM.
    let googlePlayKey: String

    /// Reads the secrets and generates the missing ones.
    package static func loadOrCreate(in directory: DataDirectory) throws(CommandError) -> DevSecrets {
        DevSecrets(
            userToken: try Self.secret("user-token", in: directory),
            operatorToken: try Self.secret("operator-token", in: directory),
            databasePassword: try Self.secret("database-password", in: directory),
            appStoreSharedSecret: try Self.secret("app-store-shared-secret", in: directory),
            revenueCatAuthorization: "Bearer \(try Self.secret("revenuecat-authorization", in: directory))",
            revenueCatSigningSecret: try Self.secret("revenuecat-signing-secret", in: directory),
            revenueCatAPIKey: try Self.secret("revenuecat-api-key", in: directory),
            appStoreKey: try Self.secret("app-store-key", in: directory) {
                P256.Signing.PrivateKey().pemRepresentation
            },
            googlePlayKey: try Self.secret("google-play-key", in: directory) {
                try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation
            }
        )
    }

    /// Reads the secrets of a directory that `dev` has already used.
    package static func load(from directory: DataDirectory) throws(CommandError) -> DevSecrets {
        guard FileManager.default.fileExists(atPath: directory.secrets) else {
            throw CommandError(.configuration, "\(directory.path) is not a directory of credit-wallet dev.")
        }
        return try Self.loadOrCreate(in: directory)
    }

    private static func secret(
        _ name: String,
        in directory: DataDirectory,
        make: () throws -> String = Self.random
    ) throws(CommandError) -> String {
        let file = "\(directory.secrets)/\(name)"
        if FileManager.default.fileExists(atPath: file) {
            guard let secret = try? String(contentsOfFile: file, encoding: .utf8), secret.utf8.count >= 32 else {
                throw CommandError(.system, "\(file) is unreadable or too short.")
            }
            return secret
        }
        guard let secret = try? make() else { throw CommandError(.system, "Cannot create \(file).") }
        try directory.writePrivately(secret, to: file)
        return secret
    }

    /// Returns 32 random bytes as 64 hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        return String((0..<64).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
    }
}

/// The two issuers of a `dev` directory, for users and for operators, each with a generated secret.
package struct DevIssuers: Sendable {
    let users: IssuerConfiguration
    let operators: IssuerConfiguration

    package init(secrets: DevSecrets) {
        self.users = IssuerConfiguration(
            issuer: "https://dev.credit-wallet.invalid/users",
            audiences: ["credit-wallet"],
            sharedSecret: Array(secrets.userToken.utf8)
        )
        self.operators = IssuerConfiguration(
            issuer: "https://dev.credit-wallet.invalid/operators",
            audiences: ["credit-wallet"],
            purpose: .operators,
            sharedSecret: Array(secrets.operatorToken.utf8)
        )
    }

    /// The issuers of users and of operators.
    package var all: [IssuerConfiguration] { [self.users, self.operators] }
}
