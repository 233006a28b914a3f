package import Foundation
import HTTPTypes
package import Hummingbird
package import Wallet

extension Request {
    /// Returns a query parameter; throws if it must not be repeated, because its value would be ambiguous.
    package func query(_ name: String) throws -> String? {
        let values = self.uri.queryParameters[values: name[...]]
        guard values.count <= 1 else { throw Problem.parameter(name, "must not be repeated") }
        return try values.first.map { try ParameterText.checked(String($0), name) }
    }

    /// Returns an instant from a required query parameter.
    func instant(_ name: String) throws -> Date {
        guard let text = try self.query(name) else {
            throw Problem.parameter(name, "is required: \(WireJSON.instantForm)")
        }
        guard let instant = WireJSON.instant(text) else {
            throw Problem.parameter(name, "must be \(WireJSON.instantForm)", Received(text))
        }
        return instant
    }

    /// Reads `limit` (1 to 100, 20 by default) and `cursor` (opaque).
    func page() throws -> PageRequest {
        var limit = 20
        if let text = try self.query("limit") {
            guard let number = Self.decimal(text), (1...100).contains(number) else {
                throw Problem.parameter("limit", "must be a number from 1 to 100", Received(text))
            }
            limit = number
        }
        return PageRequest(limit: limit, cursor: try self.cursor())
    }

    private static func decimal(_ text: String) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private func cursor() throws -> String? {
        guard let cursor = try self.query("cursor") else { return nil }
        guard (1...200).contains(cursor.utf8.count), cursor.utf8.allSatisfy(Self.isCursorByte) else {
            throw Problem.parameter("cursor", "must be the next_cursor of an earlier response", Received(cursor))
        }
        return cursor
    }

    private static func isCursorByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// Reads `dry_run`: `true` or `false`.
    func isDryRun() throws -> Bool {
        switch try self.query("dry_run") {
        case nil, "false": return false
        case "true": return true
        case let text?: throw Problem.parameter("dry_run", "must be true or false", Received(text))
        }
    }

    /// Reads `preview`, the value that a dry run returned; nil if the request confirms no preview.
    func preview() throws -> String? {
        try self.query("preview").map(ParameterText.preview)
    }
}

extension Request {
    /// Returns the environment of an operator's or a public request: `Wallet-Environment`, otherwise production.
    func walletEnvironment() throws -> WalletEnvironment {
        try self.walletEnvironmentIfSent() ?? .production
    }

    /// Returns the environment in `Wallet-Environment`; nil if the field is absent.
    package func walletEnvironmentIfSent() throws -> WalletEnvironment? {
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
    package func idempotencyKeyIfSent() throws -> String? {
        let values = self.headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = IdempotencyKey.parse(value) else {
            throw Problem.header("Idempotency-Key", "must be 1 to 255 visible ASCII characters, once", values)
        }
        return key
    }
}

/// Reads the value of an `Idempotency-Key` field.
private enum IdempotencyKey {
    /// Returns the key in its quoted or unquoted form; nil if the value is neither.
    static func parse(_ value: String) -> String? {
        let key = value.utf8.first == UInt8(ascii: "\"") ? Self.quoted(value.utf8) : Array(value.utf8)
        guard let key, (1...255).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: key, as: UTF8.self)
    }

    /// Removes the quotes; inside, only `\"` and `\\` are escapes (RFC 8941, 3.3.3).
    private static func quoted(_ value: String.UTF8View) -> [UInt8]? {
        var key: [UInt8] = []
        var isEscaped = false
        var rest = value.dropFirst()
        while let byte = rest.popFirst() {
            if isEscaped {
                guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return nil }
                key.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return rest.isEmpty ? key : nil
            } else {
                key.append(byte)
            }
        }
        return nil
    }
}

extension Wallet {
    /// Returns the environment of a user's request: the one in `Wallet-Environment`, otherwise sandbox for testers and
    /// production for all other users.
    ///
    /// So test builds of an app need no extra header, and users who are not testers never spend sandbox purchases by
    /// default.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - request: The user's request.
    /// - Returns: The environment.
    /// - Throws: ``Problem`` 400 `malformed-request`; ``WalletError`` 503 if the database is unavailable.
    package func environment(of user: UserID, in request: Request) async throws -> WalletEnvironment {
        if let named = try request.walletEnvironmentIfSent() { return named }
        return try await self.isTester(user) ? .sandbox : .production
    }
}

extension Parameters {
    /// Returns the booking's id; throws `booking-not-found` if it is not a UUID.
    package func bookingID() throws -> UUID {
        guard let text = self.decoded("id"), let id = UUID(uuidString: text) else {
            throw Problem.notFound("booking-not-found", "The user has no booking with this id.")
        }
        return id
    }

    /// Returns the class's id: 1 to 64 letters, digits, dots, underscores, colons and dashes.
    ///
    /// - Returns: The id; nil for a text that cannot be a class's id.
    func classID() -> String? {
        guard let id = self.decoded("id"), ClassID.isValid(id) else { return nil }
        return id
    }

    /// Returns the class's id; throws `class-not-found` for a text that cannot be a class's id.
    func knownClassID() throws -> String {
        guard let id = self.classID() else { throw Problem.notFound("class-not-found", "No class has this id.") }
        return id
    }

    /// Returns the product's id: 1 to 128 letters, digits, dots, underscores, colons and dashes.
    func productID() throws -> String {
        guard let id = self.decoded("id"), ClassID.isValid(id, upTo: 128) else {
            throw Problem.malformed(
                "A product's id must be 1 to 128 of A-Z a-z 0-9 . _ : -; received "
                    + "\(Received(self.decoded("id") ?? self.get("id") ?? ""))."
            )
        }
        return id
    }

    /// Returns the store's transaction id.
    func transactionID() throws -> String {
        guard let id = self.decoded("transaction_id"), TransactionID.isValid(id) else {
            throw Problem.notFound("purchase-not-found", "The user has no purchase with this transaction id.")
        }
        return id
    }

    /// Returns a part of the path without its percent encoding; nil for an invalid encoding.
    func decoded(_ name: String) -> String? {
        self.get(name)?.removingPercentEncoding
    }
}
