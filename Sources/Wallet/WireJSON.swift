package import Foundation
package import JSON
import Stores

/// The API's only JSON encoder and decoder, so that dates have one format everywhere.
package enum WireJSON {
    /// A description of the instant format, for problem details.
    package static let instantForm = "an RFC 3339 instant such as 2026-11-21T01:31:00Z"

    /// Encodes instants as RFC 3339 in UTC with whole seconds, and members in a stable order.
    package static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return encoder
    }()

    /// Decodes RFC 3339 instants with or without fractions, in any offset.
    package static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            if let date = Self.instant(text) { return date }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "not an RFC 3339 instant",
                    underlyingError: AllowedValues(Self.instantForm)
                )
            )
        }
        return decoder
    }()

    /// Formats an instant as RFC 3339 in UTC.
    ///
    /// The instant is truncated to whole seconds, not rounded, so that an expiry is never shown a second too late.
    ///
    /// - Parameter date: The instant.
    /// - Returns: The text.
    package static func text(_ date: Date) -> String {
        guard Self.range.contains(date) else {
            return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
        }
        return RFC3339.text(ofSeconds: Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// Instants outside the years 1970 to 9999 are refused: they are typing errors that later calculations would use.
    private static let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

    /// Parses an RFC 3339 instant.
    ///
    /// - Parameter text: The text.
    /// - Returns: The instant; nil for an invalid text or an instant that does not exist.
    package static func instant(_ text: String) -> Date? {
        guard text.utf8.count <= 40, let date = RFC3339(text)?.date, Self.range.contains(date) else { return nil }
        return date
    }

    /// Converts a value to the JSON that the API returns for it.
    ///
    /// - Parameter value: The value.
    /// - Returns: The JSON.
    /// - Throws: `EncodingError` for a value that JSON cannot represent.
    package static func json(of value: some Encodable) throws -> JSONValue {
        try Self.decoder.decode(JSONValue.self, from: Self.encoder.encode(value))
    }

    /// Decodes a body that a client sent.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - body: The body.
    /// - Returns: The decoded value; members that the type does not have are ignored.
    /// - Throws: ``WalletError`` 400 `malformed-request` with the name of the wrong member.
    package static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from body: Data) throws -> Value {
        guard String(validating: body, as: UTF8.self) != nil else {
            throw WalletError.malformed("The body is not UTF-8.")
        }
        if StorableJSON.holdsNUL(body) { throw WalletError.malformed("The body must not contain a NUL character.") }
        switch JSONFlaw(in: body) {
        case .syntax: throw WalletError.malformed("The body is not valid JSON.")
        case .depth:
            throw WalletError.malformed("The body must not be nested more than \(JSONFlaw.maximumDepth) levels deep.")
        case .number:
            throw WalletError.malformed(
                "A number in the body must not have more than \(JSONFlaw.maximumDigits) characters."
            )
        case nil: break
        }
        do {
            return try Self.decoder.decode(type, from: body)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            // The body is well formed, so only a number or an escape in a string can be wrong.
            if let wrong = UnfittingNumber(in: body, for: type) {
                throw WalletError.member(wrong.path, "must be a whole number", Received(wrong.number))
            }
            throw WalletError.malformed(
                "The body has a number that is too large or not whole, or a string that is not Unicode."
            )
        } catch let error as DecodingError {
            throw WalletError.malformed(error.explanation(of: body))
        }
    }
}

/// A number in a body that does not fit the decoded type.
///
/// Foundation reports neither the number nor its path.
private struct UnfittingNumber {
    /// The path of the number: member names, and list indices from 0.
    let path: String
    let number: Decimal

    /// The limits of the search: the number of candidates and the size of the body.
    ///
    /// Each candidate requires another decoding.
    private static let most = 20
    private static let mostBytes = 4 * 1_024

    /// Finds the number; returns nil if the body is not JSON, is too large, or has another error.
    ///
    /// The search replaces each number that is not a 64-bit integer with 0, one at a time. If the body can be decoded
    /// after a replacement, that number is the wrong one.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The type that the body should have been decoded as.
    init?(in body: Data, for type: (some Decodable).Type) {
        guard body.count <= Self.mostBytes, let document = try? WireJSON.decoder.decode(JSONValue.self, from: body)
        else { return nil }
        let places = Self.places(in: document)
        guard places.count <= Self.most else { return nil }
        for (path, number) in places {
            guard let changed = try? WireJSON.encoder.encode(Self.replace(path[...], in: document)) else { continue }
            do {
                _ = try WireJSON.decoder.decode(type, from: changed)
            } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
                continue
            } catch {}
            self.path = path.joined(separator: ".")
            self.number = number
            return
        }
        return nil
    }

    private static func places(in value: JSONValue) -> [(path: [String], number: Decimal)] {
        switch value {
        case .number(let number): Self.isInteger(number) ? [] : [([], number)]
        case .array(let items):
            items.enumerated().flatMap { index, item in
                self.places(in: item).map { (["\(index)"] + $0.path, $0.number) }
            }
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { key, member in
                self.places(in: member).map { ([key] + $0.path, $0.number) }
            }
        default: []
        }
    }

    private static func isInteger(_ number: Decimal) -> Bool { Int64("\(number)") != nil }

    private static func replace(_ path: ArraySlice<String>, in value: JSONValue) -> JSONValue {
        guard let key = path.first else { return .number(0) }
        switch value {
        case .array(var items):
            guard let index = Int(key) else { return value }
            items[index] = self.replace(path.dropFirst(), in: items[index])
            return .array(items)
        case .object(var members):
            guard let member = members[key] else { return value }
            members[key] = self.replace(path.dropFirst(), in: member)
            return .object(members)
        default: return value
        }
    }
}

extension DecodingError {
    /// The maximum size of a body that is decoded a second time to quote the wrong value.
    private static let mostBytes = 64 * 1_024

    /// Returns a sentence that names the wrong member and the expected value.
    ///
    /// It quotes the received value if it is short and not secret.
    ///
    /// - Parameter body: The body.
    /// - Returns: One sentence.
    package func explanation(of body: Data) -> String {
        switch self {
        case .keyNotFound(let key, let context):
            "The member \"\(Self.name(context.codingPath + [key]))\" is required."
        case .valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "The body must be a JSON object."
                : "The member \"\(Self.name(context.codingPath))\" must not be null."
        case .typeMismatch(let type, let context):
            context.codingPath.isEmpty
                ? "The body must be a JSON object\(Self.ending(context.codingPath, in: body))"
                : "The member \"\(Self.name(context.codingPath))\" must be \(Self.name(of: type))"
                    + Self.ending(context.codingPath, in: body)
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "The body is not valid JSON."
                : "The member \"\(Self.name(context.codingPath))\" \(Self.rule(context))"
                    + Self.ending(context.codingPath, in: body)
        @unknown default:
            "The body cannot be understood."
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.map(self.text).joined(separator: ".")
    }

    private static func text(_ key: any CodingKey) -> String {
        key.intValue.map(String.init) ?? key.stringValue
    }

    private static func rule(_ context: Context) -> String {
        if let allowed = context.underlyingError as? AllowedValues { return "must be \(allowed)" }
        return context.debugDescription.contains("UUID") ? "must be a UUID" : "has an invalid value"
    }

    private static func ending(_ path: [any CodingKey], in body: Data) -> String {
        guard body.count <= self.mostBytes,
            let value = try? WireJSON.decoder.decode(Found.self, from: body, configuration: path).value
        else { return "." }
        return "; received \(Received(value, at: path.map(self.text)))."
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
        case is any ExpressibleByArrayLiteral.Type: "a list"
        default: "an object"
        }
    }
}

/// The value at a path of a body.
///
/// The decoder reads only this path. For a list or an object, it reads the kind of the value but not its contents.
private struct Found: DecodableWithConfiguration {
    let value: JSONValue

    init(from decoder: any Decoder, configuration path: [any CodingKey]) throws {
        var decoder = decoder
        for key in path {
            guard let index = key.intValue else {
                let members = try decoder.container(keyedBy: Key.self)
                decoder = try members.superDecoder(forKey: Key(stringValue: key.stringValue))
                continue
            }
            var list = try decoder.unkeyedContainer()
            for _ in 0..<index { _ = try list.superDecoder() }
            decoder = try list.superDecoder()
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self.value = .null
        } else if let flag = try Self.ifMatching({ try container.decode(Bool.self) }) {
            self.value = .bool(flag)
        } else if let number = try Self.ifMatching({ try container.decode(Decimal.self) }) {
            self.value = .number(number)
        } else if let text = try Self.ifMatching({ try container.decode(String.self) }) {
            self.value = .text(text)
        } else {
            let list = try Self.ifMatching { try decoder.unkeyedContainer() }
            self.value = list.map { _ in JSONValue.array([]) } ?? .object([:])
        }
    }

    private static func ifMatching<Value>(_ decode: () throws -> Value) throws -> Value? {
        do {
            return try decode()
        } catch DecodingError.typeMismatch {
            return nil
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
