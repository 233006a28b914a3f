/// A text that is another only if both have the same bytes, as PostgreSQL and every signature compare them.
///
/// A `String` is also the same as one that merely looks the same: a composed as a decomposed "é", a "K" as the sign of
/// the kelvin. That is no way to compare what names a person, an issuer or a key.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Wraps a text.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) {
        self.text = text
    }

    /// Compares byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes, and what ends them, to a hasher.
    public func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    /// Wraps a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension ExactText: Codable {
    /// Reads a text.
    public init(from decoder: any Decoder) throws {
        self.init(try String(from: decoder))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        try self.text.encode(to: encoder)
    }
}
