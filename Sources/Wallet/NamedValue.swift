/// A value that clients send by name; the error for an unknown name lists the allowed names.
public protocol NamedValue: RawRepresentable<String>, CaseIterable, Decodable {}

extension NamedValue {
    /// Decodes a name.
    ///
    /// - Parameter decoder: The decoder to read from.
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

/// The values that are allowed instead of a refused value.
public struct AllowedValues: Error, CustomStringConvertible {
    /// The allowed values in words: "credit or visit".
    public let description: String

    /// Creates a description of the allowed values.
    ///
    /// - Parameter description: The allowed values, in words.
    public init(_ description: String) {
        self.description = description
    }

    /// Creates a description from the allowed names.
    ///
    /// - Parameter names: The names, at least one.
    public init(names: [String]) {
        let last = names.last ?? ""
        self.description = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) or \(last)" : last
    }
}
