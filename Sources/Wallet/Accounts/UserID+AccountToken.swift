import Crypto
public import Foundation
import Stores

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
