import Foundation
import Wallet

/// What a client sent in place of a value that can be used, as a problem repeats it: on one line and short.
///
/// Proofs of purchase and tokens are only named by their kind: no answer repeats them.
struct Received: CustomStringConvertible {
    /// The members that hold proofs and tokens.
    private static let secrets: Set<String> = [
        "receipt", "receiptData", "signed_transaction", "signed_transactions", "app_transaction", "purchase_token",
        "anonymous_token", "signedPayload",
    ]
    /// How many characters of a text are repeated.
    private static let longest = 40

    let description: String

    /// Quotes a text; of a long one the beginning, and how long it is.
    init(_ text: String) {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest).map(Self.visible)))
        let count = text.unicodeScalars.count
        self.description = count > Self.longest ? "\"\(shown)…\" (\(count) characters)" : "\"\(shown)\""
    }

    /// Repeats a number.
    init(_ number: some BinaryInteger) {
        self.description = "\(number)"
    }

    /// Repeats a number.
    init(_ number: Decimal) {
        self.description = "\(number)"
    }

    /// Describes what stands in a body, by its kind where it is a secret or too large to repeat.
    ///
    /// - Parameters:
    ///   - value: What stands there.
    ///   - path: The members that lead to it.
    init(_ value: JSONValue, at path: [String]) {
        switch value {
        case .null: self.description = "null"
        case .bool(let value): self.description = value ? "true" : "false"
        case .number(let number): self.description = Received(number).description
        case .text where !Self.secrets.isDisjoint(with: path): self.description = "a text"
        case .text(let text): self.description = Received(text).description
        case .array: self.description = "a list"
        case .object: self.description = "an object"
        }
    }

    /// Controls of lines and of direction could make the sentence read otherwise.
    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: "\u{FFFD}"
        default: scalar
        }
    }
}

extension Problem {
    /// Says which member of the body cannot be used, what it must be, and what was received.
    static func member(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        .malformed("The member \"\(name)\" \(rule)\(Self.ending(received))")
    }

    /// Says which parameter of the query cannot be used, what it must be, and what was received.
    static func parameter(_ name: String, _ rule: String, _ received: Received? = nil) -> Problem {
        .malformed("The parameter \"\(name)\" \(rule)\(Self.ending(received))")
    }

    /// Says which header field cannot be used, what it must be, and what was received.
    static func header(_ name: String, _ rule: String, _ received: [String]) -> Problem {
        .malformed("The header field \(name) \(rule)\(Self.ending(Received(received.joined(separator: ", "))))")
    }

    private static func ending(_ received: Received?) -> String {
        received.map { "; received \($0)." } ?? "."
    }
}
