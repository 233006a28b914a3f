import Foundation
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
            try happening.playNotifications.map { word in
                let push = PlayPush(word: word, publishedAt: happening.at, settings: self.settings)
                return NotificationDraft(id: push.messageID, type: word.type, body: try push.body.bytes)
            }
        }
    }
}
