public import Foundation

/// A JSON tree that can also hold invalid contents, such as numbers of any size and repeated members.
public indirect enum FuzzJSON: Sendable {
    case raw(String)
    case text(String)
    case list([FuzzJSON])
    case object([(String, FuzzJSON)])

    /// Parses a valid JSON text; members have a stable order.
    public init(_ json: Data) throws {
        self = try JSONDecoder().decode(Tree.self, from: json).json
    }

    /// The JSON text of the tree.
    public var json: String {
        switch self {
        case .raw(let raw): raw
        case .text(let text): Self.quoted(text)
        case .list(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.0)):\($0.1.json)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case let scalar where scalar.value < 0x20:
                "\\u" + String(repeating: "0", count: scalar.value < 16 ? 3 : 2) + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}

/// Reads any JSON into the tree.
private struct Tree: Decodable {
    let json: FuzzJSON

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self.json = .raw("null")
        } else if let flag = try? value.decode(Bool.self) {
            self.json = .raw("\(flag)")
        } else if let number = try? value.decode(Int64.self) {
            self.json = .raw("\(number)")
        } else if let number = try? value.decode(Double.self) {
            self.json = .raw("\(number)")
        } else if let text = try? value.decode(String.self) {
            self.json = .text(text)
        } else if let list = try? value.decode([Tree].self) {
            self.json = .list(list.map(\.json))
        } else {
            let members = try value.decode([String: Tree].self)
            self.json = .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
        }
    }
}
