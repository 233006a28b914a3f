import Crypto
import CryptoExtras
import Foundation

/// The key that signs the pushes' tokens, like Google's key for Pub/Sub; it is kept across restarts.
struct PushKey: Sendable {
    private static let fileName = "google-push-key.pem"
    // Generating a key takes a large part of a second, so stores without a folder share one.
    private static let unkept = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    let privateKey: _RSA.Signing.PrivateKey
    /// The id of the key in the published key set.
    let id: String

    /// Reads the key from a folder, or creates it there.
    /// - Parameter directory: The folder, nil for a key that lasts as long as the process.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` if the file is not a key; the file is not changed.
    init(directory: String?) throws {
        self.privateKey = try Self.key(in: directory)
        let digest = SHA256.hash(data: self.privateKey.publicKey.derRepresentation)
        self.id = digest.prefix(20).map { String(format: "%02x", $0) }.joined()
    }

    /// The public key, in the form of `https://www.googleapis.com/oauth2/v3/certs`.
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
