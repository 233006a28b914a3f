import Foundation
import Wallet

extension DecodingError {
    /// The maximum size of a body that is decoded a second time to quote the wrong value.
    private static let mostBytes = 64 * 1_024

    /// Returns a sentence that names the wrong member and the expected value.
    ///
    /// It quotes the received value if it is short and not secret.
    ///
    /// - Parameter body: The body.
    /// - Returns: One sentence.
    func explanation(of body: Data) -> String {
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
