import Foundation

extension DecodingError {
    /// Names the member that is wrong and what it should be, without repeating what was sent.
    var explanation: String {
        switch self {
        case .keyNotFound(let key, let context):
            "The member \"\(Self.path(context.codingPath + [key]))\" is required."
        case .valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "The body must be a JSON object."
                : "The member \"\(Self.path(context.codingPath))\" must not be null."
        case .typeMismatch(let type, let context):
            context.codingPath.isEmpty
                ? "The body must be a JSON object."
                : "The member \"\(Self.path(context.codingPath))\" must be \(Self.name(of: type))."
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "The body is not valid JSON."
                : "The member \"\(Self.path(context.codingPath))\" has a value that cannot be used."
        @unknown default:
            "The body cannot be understood."
        }
    }

    private static func path(_ path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
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
