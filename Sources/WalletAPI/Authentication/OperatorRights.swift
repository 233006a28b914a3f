import Foundation
public import Wallet

/// Says which right a claim of an operator's token stands for.
public struct OperatorRights: Sendable, Equatable {
    /// Where the claim is: its name, or names separated by dots for one inside others, such as `realm_access.roles`.
    ///
    /// Its value is a text, texts separated by spaces, or a list of texts.
    public var claim: String
    /// Which value stands for which right; the highest counts.
    public var rights: [String: OperatorRight]

    /// Maps a claim to rights.
    ///
    /// - Parameters:
    ///   - claim: Where the claim is.
    ///   - rights: Which value stands for which right.
    public init(claim: String, rights: [String: OperatorRight]) {
        self.claim = claim
        self.rights = rights
    }

    /// Finds the right that claims give.
    ///
    /// - Parameter claims: All claims of a token that was verified.
    /// - Returns: The highest right that a value stands for; nil for none.
    public func right(in claims: JSONValue) -> OperatorRight? {
        let value = self.claim.split(separator: ".").reduce(JSONValue?.some(claims)) { value, name in
            guard case .object(let members) = value else { return nil }
            return members[String(name)]
        }
        let texts: [String] =
            switch value {
            case .text(let text): text.split(separator: " ").map(String.init) + [text]
            case .array(let values): values.compactMap { if case .text(let text) = $0 { text } else { nil } }
            default: []
            }
        return texts.compactMap { self.rights[$0] }.max()
    }
}
