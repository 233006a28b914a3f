package import Foundation
package import JSON

extension WalletError {
    /// Returns the error for a request that cannot be understood.
    package static func malformed(_ detail: String) -> WalletError {
        WalletError(status: 400, slug: "malformed-request", detail: detail)
    }

    /// Returns the error for a member of a body with a wrong value.
    package static func member(_ name: String, _ rule: String, _ received: Received? = nil) -> WalletError {
        .malformed("The member \"\(name)\" \(rule)\(Self.ending(received))")
    }

    /// Returns the error for a query parameter with a wrong value.
    package static func parameter(_ name: String, _ rule: String, _ received: Received? = nil) -> WalletError {
        .malformed("The parameter \"\(name)\" \(rule)\(Self.ending(received))")
    }

    private static func ending(_ received: Received?) -> String {
        received.map { "; received \($0)." } ?? "."
    }
}

extension WalletError {
    /// The HTTP status; 500 for a status that is not of an error.
    package var code: Int { (400...599).contains(self.status) ? self.status : 500 }

    /// The title of the problem.
    package var title: String { ProblemType.title(of: self.slug, status: self.code) }

    /// The sentence about this occurrence, and the extension members; no sentence if the title and the members suffice.
    package var described: (detail: String?, members: [String: JSONValue]) {
        let members = Self.members(self.membersJSON)
        // The detail already contains the received value, shortened.
        return (self.detail ?? Self.detail(self.slug, members), members.filter { $0.key != "received" })
    }

    /// Decodes the members that a SQL function wrote.
    ///
    /// Text that is not a JSON object is ignored, because the slug suffices.
    private static func members(_ json: String?) -> [String: JSONValue] {
        guard let json else { return [:] }
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8))
        } catch {
            return [:]
        }
    }

    /// Returns a sentence for the members of a refusal; nil for most slugs, whose title and members suffice.
    private static func detail(_ slug: String, _ members: [String: JSONValue]) -> String? {
        switch slug {
        case "insufficient-credits": return Self.shortage(members)
        case "malformed-request":
            guard case .text(let name) = members["parameter"], case .text(let allowed) = members["allowed"] else {
                return nil
            }
            guard case .text(let received) = members["received"] else {
                return "The parameter \"\(name)\" is required: \(allowed)."
            }
            return "The parameter \"\(name)\" must be \(allowed); received \(Received(received))."
        case "balance-too-low": return Self.lowBalance(members)
        case "purchase-not-found":
            guard case .text(let environment) = members["environment"] else { return nil }
            return "The purchase is in the \(environment) wallet. Send Wallet-Environment: \(environment)."
        default: return nil
        }
    }

    /// Returns a sentence with the missing amount, which can be shown to the user.
    package static func shortage(_ members: [String: JSONValue]) -> String? {
        guard case .number(let needed) = members["credits_needed"], case .text(let unit) = members["unit"] else {
            return nil
        }
        let noun = needed == 1 ? unit : unit + "s"
        return "You need \(needed) more \(noun)."
    }

    /// Returns a sentence with the amount that an operator wants to deduct and the balance.
    ///
    /// - Parameter members: The refusal's members.
    /// - Returns: A sentence such as "Cannot deduct 10 credits; the balance is 5."; nil if the members are incomplete.
    private static func lowBalance(_ members: [String: JSONValue]) -> String? {
        guard case .number(let required) = members["required"], case .number(let available) = members["available"],
            case .text(let unit) = members["unit"]
        else { return nil }
        let noun = required == 1 ? unit : unit + "s"
        return "Cannot deduct \(required) \(noun); the balance is \(available)."
    }
}

/// A value that a client sent, as a problem quotes it: short and on one line.
///
/// Proofs of purchase and tokens are described only by their kind and never quoted.
package struct Received: CustomStringConvertible {
    /// The members that contain proofs and tokens.
    private static let secrets: Set<String> = [
        "receipt", "receiptData", "signed_transaction", "signed_transactions", "app_transaction", "purchase_token",
        "anonymous_token", "signedPayload",
    ]
    /// The maximum number of quoted characters.
    private static let longest = 40

    /// The quoted value.
    package let description: String

    /// Quotes a text.
    ///
    /// For a long text, quotes the beginning and adds the length.
    package init(_ text: String) {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest).map(Self.visible)))
        let count = text.unicodeScalars.count
        self.description = count > Self.longest ? "\"\(shown)…\" (\(count) characters)" : "\"\(shown)\""
    }

    /// Quotes a number.
    package init(_ number: some BinaryInteger) {
        self.description = "\(number)"
    }

    /// Quotes a number.
    package init(_ number: Decimal) {
        self.description = "\(number)"
    }

    /// Quotes a value of a body, or describes its kind if it is secret or too large.
    package init(_ value: JSONValue, at path: [String]) {
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
