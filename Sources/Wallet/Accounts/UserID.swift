import Stores

/// The id of a user: the issuer's configured prefix followed by the token's `sub`.
///
/// Only one table (`wallet.identities`) stores user ids; everything else refers to the account. Two ids are equal if
/// their bytes are equal, as in the database. Only a UUID may be written in either case, because iOS prints UUIDs in
/// upper case and issuers do not. It is stored in lower case (`functions/instance/user_ids.sql`).
public struct UserID: Hashable, Sendable {
    private let id: ExactText

    /// The prefix and subject, as one text of at most 320 characters; a UUID in lower case.
    public var rawValue: String { self.id.text }

    /// Creates a user id from the text of an authenticated user.
    ///
    /// - Parameter rawValue: The prefix and subject; a UUID in any case.
    public init(rawValue: String) {
        self.id = ExactText(Self.isUUID(rawValue.utf8) ? rawValue.lowercased() : rawValue)
    }

    /// A Boolean value that indicates whether the id is a UUID.
    public var isUUID: Bool { Self.isUUID(self.rawValue.utf8) }

    /// The spellings to try where ids are compared exactly, the most likely first.
    public var spellings: [String] {
        let upper = self.rawValue.uppercased()
        return self.isUUID && upper != self.rawValue ? [self.rawValue, upper] : [self.rawValue]
    }

    private static func isUUID(_ bytes: String.UTF8View) -> Bool {
        guard bytes.count == 36 else { return false }
        for (place, byte) in bytes.enumerated() {
            switch (place, byte) {
            case (8, _), (13, _), (18, _), (23, _): if byte != UInt8(ascii: "-") { return false }
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")),
                (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
                continue
            default: return false
            }
        }
        return true
    }
}
