import Foundation

/// Any JSON value, numbers exact: what a problem's extension members are made of.
enum JSONValue: Codable, Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Decimal)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try Self.ifMatching({ try container.decode(Bool.self) }) {
            self = .bool(value)
        } else if let value = try Self.ifMatching({ try container.decode(Decimal.self) }) {
            self = .number(value)
        } else if let value = try Self.ifMatching({ try container.decode(String.self) }) {
            self = .text(value)
        } else if let value = try Self.ifMatching({ try container.decode([JSONValue].self) }) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    private static func ifMatching<Value>(_ decode: () throws -> Value) throws -> Value? {
        do {
            return try decode()
        } catch DecodingError.typeMismatch {
            return nil
        }
    }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    init(integerLiteral value: Int) { self = .number(Decimal(value)) }
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
}
