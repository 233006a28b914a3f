/// An attribute in OTLP's JSON encoding.
struct OTLPAttribute: Encodable, Sendable, Equatable {
    enum Value: Encodable, Sendable, Equatable {
        case string(String)
        case int(Int64)
        case double(Double)
        case bool(Bool)

        private enum CodingKeys: String, CodingKey {
            case stringValue
            case intValue
            case doubleValue
            case boolValue
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .string(let text): try container.encode(text, forKey: .stringValue)
            // Protobuf's JSON encodes 64-bit integers as text.
            case .int(let number): try container.encode("\(number)", forKey: .intValue)
            case .double(let number): try container.encode(number, forKey: .doubleValue)
            case .bool(let flag): try container.encode(flag, forKey: .boolValue)
            }
        }
    }

    let key: String
    let value: Value

    init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}
