import Crypto
import Foundation

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
    var body: StoreJSON {
        get throws {
            var notification: [String: StoreJSON] = [
                "version": "1.0",
                "packageName": .text(self.settings.packageName),
                "eventTimeMillis": .millisecondsText(self.publishedAt),
            ]
            notification[self.word.name] = self.word.body
            let data = try StoreJSON.object(notification).bytes.base64EncodedString()
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
    }

    /// Returns the `Authorization` header of one delivery; each attempt gets a new token.
    static func authorization(
        for settings: SandboxStoresConfiguration.GooglePlay,
        signedBy key: PushKey,
        at now: Date
    ) throws -> String {
        let seconds = Int64(now.timeIntervalSince1970)
        let claims: StoreJSON = [
            "iss": "https://accounts.google.com",
            "aud": .text(settings.pushAudience),
            "azp": "100000000000000000001",
            "sub": "100000000000000000001",
            "email": .text(settings.pushEmail),
            "email_verified": true,
            "iat": .number(seconds),
            "exp": .number(seconds + Int64(Self.tokenLifetime)),
        ]
        return "Bearer " + (try RS256.sign(claims, with: key.privateKey, keyID: key.id))
    }
}
