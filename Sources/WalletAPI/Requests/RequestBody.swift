import Foundation
import HTTPTypes
package import Hummingbird
import JSON
import NIOCore
import Wallet

extension Request {
    /// Decodes the body as JSON.
    ///
    /// A body that is too large or has another media type is refused early.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - limit: The maximum size of the body in bytes.
    ///   - mayBeEmpty: A Boolean value that indicates whether an empty body is decoded as `{}`.
    ///   - mayBePlain: A Boolean value that indicates whether the body may be declared as plain text.
    /// - Returns: The decoded value; members that the type does not have are ignored.
    /// - Throws: ``Problem`` 413, 415 or 400 `malformed-request` with the name of the wrong member.
    package func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        upTo limit: Int = BodyLimit.standard,
        mayBeEmpty: Bool = false,
        mayBePlain: Bool = false
    ) async throws -> Value {
        if !mayBeEmpty || self.headers.contains(.contentType) { try self.requireJSON(orPlain: mayBePlain) }
        if let declared = self.headers.value(of: .contentLength) {
            guard let length = Int(declared), length >= 0 else {
                throw Problem.malformed("Content-Length must be a number.")
            }
            if length > limit { throw Problem.payloadTooLarge(limit) }
        }
        let body = try await self.collect(upTo: limit)
        guard body.readableBytes > 0 else {
            guard mayBeEmpty else { throw Problem.malformed("The body is missing.") }
            return try Self.decode(type, from: ByteBuffer(string: "{}"))
        }
        if mayBeEmpty { try self.requireJSON(orPlain: mayBePlain) }
        return try Self.decode(type, from: body)
    }

    /// Returns the body's exact bytes, for signatures that cover them.
    ///
    /// - Returns: The body.
    /// - Throws: ``Problem`` 413.
    func rawBody() async throws -> Data {
        Data(try await self.collect(upTo: BodyLimit.standard).readableBytesView)
    }

    private func requireJSON(orPlain mayBePlain: Bool) throws {
        guard let field = self.headers.value(of: .contentType) else { throw Problem.unsupportedMediaType() }
        if field == "application/json" { return }
        let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let isPlain = mayBePlain && parts.first == "text/plain"
        guard isPlain || parts.first == "application/json" else { throw Problem.unsupportedMediaType() }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = parameter.dropFirst("charset=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard charset == "utf-8" else { throw Problem.unsupportedMediaType() }
        }
    }

    private func collect(upTo limit: Int) async throws -> ByteBuffer {
        do {
            return try await self.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem.payloadTooLarge(limit)
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from body: ByteBuffer) throws -> Value {
        do {
            return try WireJSON.decode(type, from: Data(body.readableBytesView))
        } catch let error as WalletError {
            throw Problem(error)
        }
    }
}

/// The maximum sizes of request bodies, in bytes.
package enum BodyLimit {
    /// The limit of every route without a limit of its own.
    package static let standard = 256 * 1024
    /// The limit for receipts, which contain a user's whole purchase history.
    package static let receipts = 2 * 1024 * 1024
}
