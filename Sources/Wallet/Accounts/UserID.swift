import Crypto
public import Foundation
import JSON
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

extension UserID {
    private static let namespace = UUID(
        uuid: (0xb5, 0xd6, 0xe6, 0xa2, 0x33, 0xb4, 0x5c, 0x0f, 0x9d, 0x3e, 0x7c, 0x1d, 0x1f, 0x2a, 0x6c, 0x10)
    )

    /// The UUID that an app passes to a store as the user's account token.
    ///
    /// The function in `functions/accounts/account_tokens.sql` returns the same value and explains its choice. The
    /// value is computed here because every request needs it and PostgreSQL has no built-in SHA-1.
    public var appAccountToken: UUID {
        let own = self.isUUID ? UUID(uuidString: self.rawValue) : nil
        if let own, !own.isNameBased, own != StoreFact.absentAccountToken { return own }
        return Self.nameBased(in: Self.namespace, self.rawValue)
    }

    /// Returns a UUID of version 5 (RFC 9562, section 5.5).
    private static func nameBased(in namespace: UUID, _ name: String) -> UUID {
        var hash = Insecure.SHA1()
        withUnsafeBytes(of: namespace.uuid) { hash.update(bufferPointer: $0) }
        hash.update(data: Data(name.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension UUID {
    fileprivate var isNameBased: Bool { self.uuid.6 >> 4 == 5 && self.uuid.8 >> 6 == 0b10 }
}
