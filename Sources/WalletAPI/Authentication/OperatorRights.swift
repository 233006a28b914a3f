import Foundation
public import Wallet

/// Says which right a claim of an operator's token stands for.
public struct OperatorRights: Sendable, Equatable {
    /// Where the claim is: its name, or names separated by dots for one inside others, such as `realm_access.roles`.
    ///
    /// Its value is one text or a list of texts. A text is never taken apart: people may write spaces into their names
    /// and addresses. Only `scope` is a list of texts separated by spaces, by its definition (RFC 8693, 4.2). The value
    /// of `email` is one address, and counts only where `email_verified` beside it is `true`.
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
        let names = self.claim.split(separator: ".").map(String.init)
        let holder = names.dropLast().reduce(JSONValue?.some(claims)) { $0?.members[$1] }
        guard let name = names.last, let holder, let value = holder.members[name] else { return nil }
        return Self.values(of: name, value, in: holder).compactMap { self.rights[$0] }.max()
    }

    /// The texts of a claim that may stand for rights.
    private static func values(of name: String, _ value: JSONValue, in holder: JSONValue) -> [String] {
        switch (name, value) {
        case ("email", .text(let address)):
            return holder.members["email_verified"] == .bool(true) && self.isAddress(address) ? [address] : []
        case ("email", _): return []
        case ("scope", .text(let text)): return text.split(separator: " ").map(String.init)
        case (_, .text(let text)): return [text]
        case (_, .array(let values)): return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        default: return []
        }
    }

    /// Returns whether a text is one address and nothing else: a local part without quotes, blanks or lists, and a domain.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether it can be compared as an address.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let special = Set("\"(),:;<>[\\]".utf8)
        return parts.count == 2 && !parts.contains(where: \.isEmpty)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !special.contains($0) }
    }
}

extension JSONValue {
    /// The members; none for a value that is no object.
    fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
