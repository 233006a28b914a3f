import Foundation
import HTTPTypes
import Hummingbird
import Wallet

extension Request {
    /// Reads which wallet an operator or a public request means: production unless `Wallet-Environment` says otherwise.
    func walletEnvironment() throws -> WalletEnvironment {
        try self.walletEnvironmentIfSent() ?? .production
    }

    /// Reads `Wallet-Environment`; nil where it is not sent.
    func walletEnvironmentIfSent() throws -> WalletEnvironment? {
        let values = self.headers[values: .walletEnvironment]
        guard let value = values.first else { return nil }
        guard values.count == 1, let environment = WalletEnvironment(rawValue: value) else {
            throw Problem.header("Wallet-Environment", "must be production or sandbox, once", values)
        }
        return environment
    }

    /// Reads the key that makes a repeated request answer the first one's result.
    ///
    /// Both forms in use are accepted and mean the same key: the quoted string of RFC 8941, which the draft wants, and
    /// the bare token that most clients send.
    ///
    /// - Returns: The key, 1 to 255 visible ASCII characters.
    /// - Throws: ``Problem`` 400 `idempotency-key-missing` or `malformed-request`.
    func idempotencyKey() throws -> String {
        if let key = try self.idempotencyKeyIfSent() { return key }
        throw Problem(.badRequest, "idempotency-key-missing", "Send an Idempotency-Key that is new for each intent.")
    }

    /// Reads the key of a PUT, which comes to the same when it is sent again: without a key it gets one of its own.
    func idempotencyKeyOrNew() throws -> String {
        try self.idempotencyKeyIfSent() ?? "put-\(UUID().uuidString.lowercased())"
    }

    /// Reads the key where it is not needed; a malformed one is refused all the same.
    func idempotencyKeyIfSent() throws -> String? {
        let values = self.headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = IdempotencyKey.parse(value) else {
            throw Problem.header("Idempotency-Key", "must be 1 to 255 visible ASCII characters, once", values)
        }
        return key
    }
}
