import Foundation
import Wallet

extension DecodingError {
    /// The largest body that is read a second time, to repeat the value that is wrong.
    private static let mostBytes = 64 * 1_024

    /// Names the member that is wrong, what it should be and, where it is short and no secret, what was received.
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
        return context.debugDescription.contains("UUID") ? "must be a UUID" : "has a value that cannot be used"
    }

    private static func ending(_ path: [any CodingKey], in body: Data) -> String {
        guard body.count <= self.mostBytes, var value = try? WireJSON.decoder.decode(JSONValue.self, from: body) else {
            return "."
        }
        for key in path {
            switch value {
            case .object(let members): value = members[key.stringValue] ?? .null
            case .array(let items):
                guard let index = key.intValue, items.indices.contains(index) else { return "." }
                value = items[index]
            default: return "."
            }
        }
        return "; received \(Received(value, at: path.map(self.text)))."
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
        case is any ExpressibleByArrayLiteral.Type: "a list"
        default: "an object"
        }
    }
}
