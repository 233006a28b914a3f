import Crypto
import CryptoExtras
import Foundation

/// The key that signs the pushes, as Google's key signs those of Pub/Sub; kept over restarts.
struct PushKey: Sendable {
    private static let fileName = "google-push-key.pem"
    // Making a key takes a good part of a second; stores that keep nothing can share one.
    private static let unkept = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    let privateKey: _RSA.Signing.PrivateKey
    /// The key's name in the published key set.
    let id: String

    /// Reads the key in a folder, or makes one and keeps it there.
    /// - Parameter directory: the folder, nil for a key that is forgotten with the process.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` when the file there holds no key; it is left as it is.
    init(directory: String?) throws {
        self.privateKey = try Self.key(in: directory)
        let digest = SHA256.hash(data: self.privateKey.publicKey.derRepresentation)
        self.id = digest.prefix(20).map { String(format: "%02x", $0) }.joined()
    }

    /// The published half, in the form of `https://www.googleapis.com/oauth2/v3/certs`.
    var keySet: StoreJSON {
        get throws {
            let parts = try self.privateKey.publicKey.getKeyPrimitives()
            return [
                "keys": [
                    [
                        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .text(self.id),
                        "n": .text(parts.modulus.base64URL), "e": .text(parts.publicExponent.base64URL),
                    ]
                ]
            ]
        }
    }

    private static func key(in directory: String?) throws -> _RSA.Signing.PrivateKey {
        guard let directory else { return try self.unkept.get() }
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        let file = folder.appendingPathComponent(Self.fileName)
        if FileManager.default.fileExists(atPath: file.path) {
            do {
                return try _RSA.Signing.PrivateKey(pemRepresentation: String(contentsOf: file, encoding: .utf8))
            } catch {
                throw SandboxStoresError(.unreadableState)
            }
        }
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(key.pemRepresentation.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return key
    }
}
