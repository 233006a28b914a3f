import Crypto
import CryptoExtras
import Foundation
import JOSE
import JSON
import NIOHTTP1

/// The Google Play part: posts real-time developer notifications and authorizes calls of the API.
struct PlayServer: Sendable {
    let settings: SandboxStoresConfiguration.GooglePlay
    let pushKey: PushKey
    let tokens: AccessTokens

    /// Creates the Google Play part.
    /// - Parameters:
    ///   - settings: The app, the service account and the pushes' audience.
    ///   - directory: The folder for the pushes' key, nil for memory only.
    /// - Throws: ``SandboxStoresError`` if the stored key or the service account's key cannot be read.
    init(settings: SandboxStoresConfiguration.GooglePlay, directory: String?) throws {
        self.settings = settings
        self.pushKey = try PushKey(directory: directory)
        self.tokens = try AccessTokens(
            email: settings.serviceAccountEmail,
            publicKeyPEM: settings.serviceAccountPublicKey
        )
    }

    /// Returns the writer of the notifications; the token of each attempt is dated by the stores' clock.
    func writer(of ledger: SandboxLedger) -> NotificationWriter {
        NotificationWriter(source: .googlePlay) { _ in
            let now = await ledger.now
            return ["Authorization": try PlayPush.authorization(for: self.settings, signedBy: self.pushKey, at: now)]
        } write: { happening in
            happening.playNotifications.map { word in
                let push = PlayPush(word: word, publishedAt: happening.at, settings: self.settings)
                return NotificationDraft(id: push.messageID, type: word.type, body: push.body.jsonData)
            }
        }
    }
}

/// One real-time developer notification in the envelope of a Pub/Sub push.
struct PlayPush {
    let word: PlayNotification
    let publishedAt: Date
    let settings: SandboxStoresConfiguration.GooglePlay

    private static let tokenLifetime = 3_600.0

    /// The id of the message, which is the same when the same event is reported again.
    var messageID: String {
        let digest = SHA256.hash(data: Data("pubsub:\(self.word):\(self.publishedAt.wholeMilliseconds)".utf8))
        return String(digest.prefix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The body to post.
    var body: JSONValue {
        var notification: [String: JSONValue] = [
            "version": "1.0",
            "packageName": .text(self.settings.packageName),
            "eventTimeMillis": .millisecondsText(self.publishedAt),
        ]
        notification[self.word.name] = self.word.body
        let data = JSONValue.object(notification).jsonData.base64EncodedString()
        return [
            "message": [
                "attributes": [:],
                "data": .text(data),
                "messageId": .text(self.messageID),
                "message_id": .text(self.messageID),
                "publishTime": .instant(self.publishedAt),
                "publish_time": .instant(self.publishedAt),
            ],
            "subscription": .text(self.settings.pushSubscription),
        ]
    }

    /// Returns the `Authorization` header of one delivery; each attempt gets a new token.
    static func authorization(
        for settings: SandboxStoresConfiguration.GooglePlay,
        signedBy key: PushKey,
        at now: Date
    ) throws -> String {
        let seconds = Int64(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": "https://accounts.google.com",
            "aud": .text(settings.pushAudience),
            "azp": "100000000000000000001",
            "sub": "100000000000000000001",
            "email": .text(settings.pushEmail),
            "email_verified": true,
            "iat": .integer(seconds),
            "exp": .integer(seconds + Int64(Self.tokenLifetime)),
        ]
        return "Bearer " + (try SigningKey(rsa: key.privateKey).token(claims, keyID: key.id))
    }
}

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
    var keySet: JSONValue {
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
