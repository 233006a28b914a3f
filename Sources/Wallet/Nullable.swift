import Foundation

/// Encodes an absent value as JSON `null`, so that a documented member is always present.
@propertyWrapper
public struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The value; `nil` for `null`.
    public var wrappedValue: Value?

    /// Creates a wrapper for an optional value.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    /// Encodes the value or `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self.wrappedValue {
        case .none: try container.encodeNil()
        case .some(let id as UUID): try container.encode(WireUUID(wrappedValue: id))
        case .some(let value): try container.encode(value)
        }
    }
}

extension Nullable: Decodable where Value: Decodable {
    /// Decodes the value or `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a member that may also be missing.
    func decode<Value: Decodable>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        try self.decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
    }
}

extension Nullable: Equatable where Value: Equatable {}
