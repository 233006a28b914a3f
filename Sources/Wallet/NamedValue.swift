/// A value that clients send by its name; an unknown name is refused with those that there are.
public protocol NamedValue: RawRepresentable<String>, CaseIterable, Decodable {}

extension NamedValue {
    /// Reads a name.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` with ``AllowedValues`` for an unknown name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "an unknown name",
                    underlyingError: AllowedValues(names: Self.allCases.map(\.rawValue))
                )
            )
        }
        self = value
    }
}

/// What would have been accepted in place of a value.
public struct AllowedValues: Error, CustomStringConvertible {
    /// What is accepted, in words: "credit or visit".
    public let description: String

    /// Describes what is accepted.
    ///
    /// - Parameter description: What is accepted, in words.
    public init(_ description: String) {
        self.description = description
    }

    /// Lists the names that are accepted.
    ///
    /// - Parameter names: The names, at least one.
    public init(names: [String]) {
        let last = names.last ?? ""
        self.description = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) or \(last)" : last
    }
}
