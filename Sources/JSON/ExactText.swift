/// Text that is compared by its bytes, as PostgreSQL and signatures compare it.
///
/// A Swift `String` also equals a canonically equivalent string: a composed "é" equals a decomposed one, and "K" equals
/// the kelvin sign. Names of users, issuers and keys must not be compared that way.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Wraps a text.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) {
        self.text = text
    }

    /// Returns `true` if both texts have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes and a terminator.
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
    /// Decodes a text.
    public init(from decoder: any Decoder) throws {
        self.init(try String(from: decoder))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        try self.text.encode(to: encoder)
    }
}
