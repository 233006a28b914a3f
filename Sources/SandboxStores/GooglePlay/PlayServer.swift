import Foundation
import NIOHTTP1

/// Sends events of Google Play's purchases as real-time developer notifications do, and guards the API.
struct PlayServer: Sendable {
    let settings: SandboxStoresConfiguration.GooglePlay
    let pushKey: PushKey
    let tokens: AccessTokens

    /// Opens the face.
    /// - Parameters:
    ///   - settings: the app, the account and the push's audience.
    ///   - directory: where the pushes' key is kept, nil for memory only.
    /// - Throws: ``SandboxStoresError`` for a key that cannot be read: the kept one or the service account's.
    init(settings: SandboxStoresConfiguration.GooglePlay, directory: String?) throws {
        self.settings = settings
        self.pushKey = try PushKey(directory: directory)
        self.tokens = try AccessTokens(
            email: settings.serviceAccountEmail,
            publicKeyPEM: settings.serviceAccountPublicKey
        )
    }

    /// Posts the notifications; the token of each attempt is dated by the stores' clock.
    func writer(of ledger: SandboxLedger) -> NotificationWriter {
        NotificationWriter(source: .googlePlay) { _ in
            let now = await ledger.now
            return ["Authorization": try PlayPush.authorization(for: self.settings, signedBy: self.pushKey, at: now)]
        } write: { happening in
            try happening.playNotifications.map { word in
                let push = PlayPush(word: word, publishedAt: happening.at, settings: self.settings)
                return NotificationDraft(id: push.messageID, type: word.type, body: try push.body.bytes)
            }
        }
    }
}
