import Foundation
import Wallet

/// A value that a client sent, as a problem quotes it: short and on one line.
///
/// Proofs of purchase and tokens are described only by their kind and never quoted.
struct Received: CustomStringConvertible {
    /// The members that contain proofs and tokens.
    private static let secrets: Set<String> = [
        "receipt", "receiptData", "signed_transaction", "signed_transactions", "app_transaction", "purchase_token",
        "anonymous_token", "signedPayload",
    ]
    /// The maximum number of quoted characters.
    private static let longest = 40

    let description: String

    /// Quotes a text.
    ///
    /// For a long text, quotes the beginning and adds the length.
    init(_ text: String) {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest).map(Self.visible)))
        let count = text.unicodeScalars.count
        self.description = count > Self.longest ? "\"\(shown)…\" (\(count) characters)" : "\"\(shown)\""
    }

    /// Quotes a number.
    init(_ number: some BinaryInteger) {
        self.description = "\(number)"
    }

    /// Quotes a number.
    init(_ number: Decimal) {
        self.description = "\(number)"
    }

    /// Quotes a value of a body, or describes its kind if it is secret or too large.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - path: The members that lead to the value.
    init(_ value: JSONValue, at path: [String]) {
        switch value {
        case .null: self.description = "null"
        case .bool(let value): self.description = value ? "true" : "false"
        case .number(let number): self.description = Received(number).description
        case .text where !Self.secrets.isDisjoint(with: path): self.description = "a string"
        case .text(let text): self.description = Received(text).description
        case .array: self.description = "a list"
        case .object: self.description = "an object"
        }
    }

    /// Line controls and bidirectional controls could change how the sentence is displayed.
    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: "\u{FFFD}"
        default: scalar
        }
    }
}

extension Problem {
    /// Returns a problem that names a wrong member of the body, the rule for its value, and the received value.
    static func member(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        .malformed("The member \"\(name)\" \(rule)\(Self.ending(received))")
    }

    /// Returns a problem that names a wrong query parameter, the rule for its value, and the received value.
    static func parameter(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        .malformed("The parameter \"\(name)\" \(rule)\(Self.ending(received))")
    }

    /// Returns a problem that names a wrong header field, the rule for its value, and the received values.
    static func header(_ name: String, _ rule: String, _ received: [String]) -> Problem {
        .malformed("The header field \(name) \(rule)\(Self.ending(Received(received.joined(separator: ", "))))")
    }

    private static func ending(_ received: Received?) -> String {
        received.map { "; received \($0)." } ?? "."
    }
}
