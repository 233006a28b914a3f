import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Stores
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
    /// - Returns: The decoded value; members that the type does not have are ignored.
    /// - Throws: ``Problem`` 413, 415 or 400 `malformed-request` with the name of the wrong member.
    func json<Value: Decodable>(
        _ type: Value.Type = Value.self,
        upTo limit: Int = BodyLimit.standard,
        mayBeEmpty: Bool = false
    ) async throws -> Value {
        if !mayBeEmpty || self.headers.contains(.contentType) { try self.requireJSON() }
        if let declared = self.headers.value(of: .contentLength) {
            guard let length = Int(declared), length >= 0 else {
                throw Problem.malformed("Content-Length must be a number.")
            }
            if length > limit { throw Problem.payloadTooLarge(limit) }
        }
        let body = try await self.collect(upTo: limit)
        guard body.readableBytes > 0 else {
            guard mayBeEmpty else { throw Problem.malformed("The body is missing.") }
            return try Self.emptyBody(type)
        }
        if mayBeEmpty { try self.requireJSON() }
        let bytes = body.readableBytesView
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Problem.malformed("The body is not UTF-8.") }
        if StorableJSON.holdsNUL(bytes) { throw Problem.malformed("The body must not contain a NUL character.") }
        if JSONDepth.isExceeded(by: bytes) {
            throw Problem.malformed("The body must not be nested more than \(JSONDepth.maximum) levels deep.")
        }
        do {
            return try WireJSON.decoder.decode(type, from: Data(bytes))
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            if let wrong = UnfittingNumber(in: Data(bytes), for: type) {
                throw Problem.member(wrong.path, "must be a whole number", Received(wrong.number))
            }
            if UnfittingNumber.mayBe(in: Data(bytes)) {
                throw Problem.malformed(
                    "The body has a number that is too large or not whole, or a string that is not Unicode."
                )
            }
            throw Problem.malformed(DecodingError.dataCorrupted(context).explanation(of: Data()))
        } catch let error as DecodingError {
            throw Problem.malformed(error.explanation(of: Data(bytes)))
        }
    }

    private static func emptyBody<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try WireJSON.decoder.decode(type, from: Data("{}".utf8))
        } catch let error as DecodingError {
            throw Problem.malformed(error.explanation(of: Data("{}".utf8)))
        }
    }

    /// Returns the body's exact bytes, for signatures that cover them.
    ///
    /// - Parameter limit: The maximum size of the body in bytes.
    /// - Returns: The body.
    /// - Throws: ``Problem`` 413.
    func rawBody(upTo limit: Int = BodyLimit.standard) async throws -> Data {
        Data(try await self.collect(upTo: limit).readableBytesView)
    }

    private func collect(upTo limit: Int) async throws -> ByteBuffer {
        do {
            return try await self.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem.payloadTooLarge(limit)
        }
    }

    private func requireJSON() throws {
        guard let field = self.headers.value(of: .contentType) else { throw Problem.unsupportedMediaType() }
        if field == "application/json" { return }
        let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        // supabase-js sends a string body as plain text, and edge functions parse it as JSON.
        let isPlain = parts.first == "text/plain" && FunctionsPath.covers(self)
        guard isPlain || parts.first == "application/json" else { throw Problem.unsupportedMediaType() }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = parameter.dropFirst("charset=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard charset == "utf-8" else { throw Problem.unsupportedMediaType() }
        }
    }
}
