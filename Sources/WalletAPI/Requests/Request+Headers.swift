import Foundation
import HTTPTypes
import Hummingbird
import Wallet

extension Request {
    /// Returns the environment of an operator's or a public request: `Wallet-Environment`, otherwise production.
    func walletEnvironment() throws -> WalletEnvironment {
        try self.walletEnvironmentIfSent() ?? .production
    }

    /// Returns the environment in `Wallet-Environment`; nil if the field is absent.
    func walletEnvironmentIfSent() throws -> WalletEnvironment? {
        let values = self.headers[values: .walletEnvironment]
        guard let value = values.first else { return nil }
        guard values.count == 1, let environment = WalletEnvironment(rawValue: value) else {
            throw Problem.header("Wallet-Environment", "must be production or sandbox, once", values)
        }
        return environment
    }

    /// Returns the idempotency key.
    ///
    /// A repeated request with the same key receives the first request's result.
    ///
    /// Both common forms are accepted and mean the same key: the quoted string of RFC 8941, which the draft requires,
    /// and the bare token that most clients send.
    ///
    /// - Returns: The key, 1 to 255 visible ASCII characters.
    /// - Throws: ``Problem`` 400 `idempotency-key-missing` or `malformed-request`.
    func idempotencyKey() throws -> String {
        if let key = try self.idempotencyKeyIfSent() { return key }
        throw Problem(.badRequest, "idempotency-key-missing", "Send an Idempotency-Key, a new one for each operation.")
    }

    /// Returns the key of a PUT request.
    ///
    /// A PUT is idempotent, so a request without a key receives a generated one.
    func idempotencyKeyOrNew() throws -> String {
        try self.idempotencyKeyIfSent() ?? "put-\(UUID().uuidString.lowercased())"
    }

    /// Returns the key if one was sent; throws for a malformed key even where no key is required.
    func idempotencyKeyIfSent() throws -> String? {
        let values = self.headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = IdempotencyKey.parse(value) else {
            throw Problem.header("Idempotency-Key", "must be 1 to 255 visible ASCII characters, once", values)
        }
        return key
    }
}
