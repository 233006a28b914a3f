import Foundation
public import Wallet

/// Maps a claim of an operator's token to an operator right.
public struct OperatorRights: Sendable, Equatable {
    /// The name of the claim, or names separated by dots for a nested claim, such as `realm_access.roles`.
    ///
    /// The claim's value is one text or a list of texts. A text is not split, because names and addresses may contain
    /// spaces. The exception is `scope`, which is defined as a list of texts separated by spaces (RFC 8693, 4.2). The
    /// value of `email` is one address, and it is used only if `email_verified` in the same object is `true`.
    public var claim: String
    /// The operator right for each claim value; if several values match, the highest right applies.
    public var rights: [String: OperatorRight]

    /// Creates a mapping from a claim to rights.
    ///
    /// - Parameters:
    ///   - claim: The name of the claim.
    ///   - rights: The operator right for each claim value.
    public init(claim: String, rights: [String: OperatorRight]) {
        self.claim = claim
        self.rights = rights
    }

    /// Returns the right that a token's claims grant.
    ///
    /// - Parameter claims: All claims of a verified token.
    /// - Returns: The highest right that a value of the claim maps to; nil if no value maps to a right.
    public func right(in claims: JSONValue) -> OperatorRight? {
        let names = self.claim.split(separator: ".").map(String.init)
        let holder = names.dropLast().reduce(JSONValue?.some(claims)) { $0?.members[$1] }
        guard let name = names.last, let holder, let value = holder.members[name] else { return nil }
        return Self.values(of: name, value, in: holder).compactMap { self.rights[$0] }.max()
    }

    /// Returns the texts of a claim that are compared with the configured values.
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

    /// Returns a Boolean value that indicates whether a text is a single plain email address.
    ///
    /// A plain address has a local part without quotes, blanks or lists, and a domain.
    ///
    /// - Parameter text: The text to check.
    /// - Returns: `true` if the text can be compared as an address.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let special = Set("\"(),:;<>[\\]".utf8)
        return parts.count == 2 && !parts.contains(where: \.isEmpty)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !special.contains($0) }
    }
}

extension JSONValue {
    /// The members of an object; empty for other JSON values.
    fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
